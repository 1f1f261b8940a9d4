; From Python's arguments to argument slots, as the plan says (entry.ll).

declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)

; Fills the argument slots; for each argument also the span of memory it covers, empty for scalars.
define internal i1 @tp.read_arguments(ptr %plan, ptr %args, ptr %slots, ptr %spans) {
entry:
  %params = call i64 @tp.word(ptr %plan, i64 1)
  %first = getelementptr i64, ptr %plan, i64 10
  br label %check
check:
  %k = phi i64 [ 0, %entry ], [ %k_next, %next ]
  %record = phi ptr [ %first, %entry ], [ %record_next, %next ]
  %slot = phi ptr [ %slots, %entry ], [ %slot_next, %next ]
  %more = icmp slt i64 %k, %params
  br i1 %more, label %read, label %all
read:
  %place = getelementptr ptr, ptr %args, i64 %k
  %object = load ptr, ptr %place
  %span_index = shl i64 %k, 1
  %span = getelementptr i64, ptr %spans, i64 %span_index
  %kind = call i64 @tp.word(ptr %record, i64 0)
  %is_array = icmp eq i64 %kind, 0
  br i1 %is_array, label %array, label %scalar
array:
  %array_ok = call i1 @tp.read_array(ptr %object, ptr %record, ptr %slots, ptr %slot, ptr %span)
  br i1 %array_ok, label %next, label %refuse
scalar:
  %span_end = getelementptr i64, ptr %span, i64 1
  store i64 0, ptr %span
  store i64 0, ptr %span_end
  %scalar_ok = call i1 @tp.read_scalar(ptr %object, i64 %kind, ptr %record, ptr %slot)
  br i1 %scalar_ok, label %next, label %refuse
next:
  %rank = call i64 @tp.word(ptr %record, i64 4)
  %k_next = add i64 %k, 1
  %record_words = add i64 %rank, 8
  %record_next = getelementptr i64, ptr %record, i64 %record_words
  %slot_words = add i64 %rank, 1
  %slot_next = getelementptr i64, ptr %slot, i64 %slot_words
  br label %check
all:
  ret i1 true
refuse:
  ret i1 false
}

; An exact ndarray of the planned dtype, rank, sizes and flags: its pointer and sizes.
define internal i1 @tp.read_array(ptr %object, ptr %record, ptr %slots, ptr %slot, ptr %span) {
entry:
  %type = call ptr @tp.field(ptr %object, i64 $ob_type)
  %is_array = icmp eq ptr %type, @tp_ndarray_type
  br i1 %is_array, label %dtype, label %refuse
dtype:
  %descr = call ptr @tp.field(ptr %object, i64 $array_descr)
  %planned_descr_word = call i64 @tp.word(ptr %record, i64 2)
  %planned_descr = inttoptr i64 %planned_descr_word to ptr
  %same_descr = icmp eq ptr %descr, %planned_descr
  br i1 %same_descr, label %shape, label %equal_dtype
equal_dtype:
  ; Unpickled arrays have dtype objects of their own; the byte order of a native one is `=` or `|`.
  %number_field = getelementptr i8, ptr %descr, i64 $descr_number
  %number32 = load i32, ptr %number_field
  %number = sext i32 %number32 to i64
  %planned_number = call i64 @tp.word(ptr %record, i64 3)
  %same_number = icmp eq i64 %number, %planned_number
  %order_field = getelementptr i8, ptr %descr, i64 $descr_order
  %order = load i8, ptr %order_field
  %native = icmp eq i8 %order, 61
  %orderless = icmp eq i8 %order, 124
  %usable_order = or i1 %native, %orderless
  %same_dtype = and i1 %same_number, %usable_order
  br i1 %same_dtype, label %shape, label %refuse
shape:
  %rank_field = getelementptr i8, ptr %object, i64 $array_rank
  %rank32 = load i32, ptr %rank_field
  %rank = sext i32 %rank32 to i64
  %planned_rank = call i64 @tp.word(ptr %record, i64 4)
  %same_rank = icmp eq i64 %rank, %planned_rank
  br i1 %same_rank, label %layout, label %refuse
layout:
  %flags_field = getelementptr i8, ptr %object, i64 $array_flags
  %flags32 = load i32, ptr %flags_field
  %flags = sext i32 %flags32 to i64
  %needed = call i64 @tp.word(ptr %record, i64 5)
  %present = and i64 %flags, %needed
  %usable = icmp eq i64 %present, %needed
  br i1 %usable, label %pointer, label %refuse
pointer:
  %data = call ptr @tp.field(ptr %object, i64 $array_data)
  %begin = ptrtoint ptr %data to i64
  store i64 %begin, ptr %slot
  %dims = call ptr @tp.field(ptr %object, i64 $array_dims)
  %item = call i64 @tp.word(ptr %record, i64 6)
  br label %dim
dim:
  %d = phi i64 [ 0, %pointer ], [ %d_next, %dim_ok ]
  %bytes = phi i64 [ %item, %pointer ], [ %bytes_next, %dim_ok ]
  %inside = icmp slt i64 %d, %rank
  br i1 %inside, label %size, label %extent
size:
  %n = call i64 @tp.word(ptr %dims, i64 %d)
  %planned_at = add i64 %d, 8
  %planned = call i64 @tp.word(ptr %record, i64 %planned_at)
  %literal = icmp sge i64 %planned, 0
  br i1 %literal, label %fixed, label %symbolic
fixed:
  %equal = icmp eq i64 %n, %planned
  br i1 %equal, label %dim_ok, label %refuse
symbolic:
  %free = icmp eq i64 %planned, -1
  br i1 %free, label %any, label %shared
any:
  %not_one = icmp ne i64 %n, 1
  br i1 %not_one, label %dim_ok, label %refuse
shared:
  %other_slot = sub i64 -2, %planned
  %other = call i64 @tp.word(ptr %slots, i64 %other_slot)
  %same = icmp eq i64 %n, %other
  br i1 %same, label %dim_ok, label %refuse
dim_ok:
  %d_next = add i64 %d, 1
  %place = getelementptr i64, ptr %slot, i64 %d_next
  store i64 %n, ptr %place
  %bytes_next = mul i64 %bytes, %n
  br label %dim
extent:
  ; An empty array covers nothing, wherever its pointer is.
  %empty = icmp eq i64 %bytes, 0
  %end = add i64 %begin, %bytes
  %span_begin = select i1 %empty, i64 0, i64 %begin
  %span_end = select i1 %empty, i64 0, i64 %end
  %end_field = getelementptr i64, ptr %span, i64 1
  store i64 %span_begin, ptr %span
  store i64 %span_end, ptr %end_field
  ret i1 true
refuse:
  ret i1 false
}

; 1: eight bytes behind the object's header (float, np.float64, np.int64); 2: four bytes, sign-extended (np.float32,
; np.int32); 3: one byte (np.bool); 4: a Python int that fits; 5: a Python bool.
define internal i1 @tp.read_scalar(ptr %object, i64 %kind, ptr %record, ptr %slot) {
entry:
  %type = call ptr @tp.field(ptr %object, i64 $ob_type)
  %planned_word = call i64 @tp.word(ptr %record, i64 1)
  %planned = inttoptr i64 %planned_word to ptr
  %same_type = icmp eq ptr %type, %planned
  br i1 %same_type, label %by_kind, label %refuse
by_kind:
  %value_field = getelementptr i8, ptr %object, i64 $head
  switch i64 %kind, label %refuse [
    i64 1, label %eight
    i64 2, label %four
    i64 3, label %one
    i64 4, label %int
    i64 5, label %bool
  ]
eight:
  %value8 = load i64, ptr %value_field
  br label %keep
four:
  %value4 = load i32, ptr %value_field
  %wide4 = sext i32 %value4 to i64
  br label %keep
one:
  %value1 = load i8, ptr %value_field
  %wide1 = zext i8 %value1 to i64
  br label %keep
int:
  %overflow = alloca i32
  %value_int = call i64 @PyLong_AsLongLongAndOverflow(ptr %object, ptr %overflow)
  %over = load i32, ptr %overflow
  %fits = icmp eq i32 %over, 0
  br i1 %fits, label %keep, label %refuse
bool:
  %true = icmp eq ptr %object, @tp_true
  %value_bool = zext i1 %true to i64
  br label %keep
keep:
  %value = phi i64 [ %value8, %eight ], [ %wide4, %four ], [ %wide1, %one ], [ %value_int, %int ], [ %value_bool, %bool ]
  store i64 %value, ptr %slot
  ret i1 true
refuse:
  ret i1 false
}

; Whether no written argument shares memory with another one.
define internal i1 @tp.disjoint(ptr %plan, ptr %spans, i64 %params) {
entry:
  %first = getelementptr i64, ptr %plan, i64 10
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k_next, %outer_next ]
  %record = phi ptr [ %first, %entry ], [ %record_next, %outer_next ]
  %more = icmp slt i64 %k, %params
  br i1 %more, label %look, label %all
look:
  %written = call i64 @tp.word(ptr %record, i64 7)
  %is_written = icmp ne i64 %written, 0
  %span_index = shl i64 %k, 1
  %begin = call i64 @tp.word(ptr %spans, i64 %span_index)
  %end_index = add i64 %span_index, 1
  %end = call i64 @tp.word(ptr %spans, i64 %end_index)
  br i1 %is_written, label %inner, label %outer_next
inner:
  %j = phi i64 [ 0, %look ], [ %j_next, %inner_next ]
  %inner_more = icmp slt i64 %j, %params
  br i1 %inner_more, label %pair, label %outer_next
pair:
  %other_index = shl i64 %j, 1
  %other_begin = call i64 @tp.word(ptr %spans, i64 %other_index)
  %other_end_index = add i64 %other_index, 1
  %other_end = call i64 @tp.word(ptr %spans, i64 %other_end_index)
  %starts_before = icmp ult i64 %begin, %other_end
  %ends_after = icmp ult i64 %other_begin, %end
  %meet = and i1 %starts_before, %ends_after
  %different = icmp ne i64 %j, %k
  %clash = and i1 %meet, %different
  br i1 %clash, label %refuse, label %inner_next
inner_next:
  %j_next = add i64 %j, 1
  br label %inner
outer_next:
  %rank = call i64 @tp.word(ptr %record, i64 4)
  %k_next = add i64 %k, 1
  %record_words = add i64 %rank, 8
  %record_next = getelementptr i64, ptr %record, i64 %record_words
  br label %outer
all:
  ret i1 true
refuse:
  ret i1 false
}
