; The entry point from Python: one METH_FASTCALL function for every kernel, driven by a plan.
;
;   tp_call(self, args, nargs)      `self` is a bytes object that holds the plan (runtime/plan.py writes it)
;
;   plan   ::= kernel address | parameters | argument slots | results | result slots | outputs | any written
;              | fault callback | offset of the results | offset of the outputs | parameter* | result* | output*
;   parameter ::= how to read it | exact type | dtype object | type number | rank | flags needed | item size | written
;              | size* (one per dimension; -1: anything but 1; -2 - s: the size in argument slot s)
;   result ::= how to make it | dtype object | rank | parameter it was written into
;   output ::= k: result k;  ~k: argument k itself
;
; All entries are i64; offsets count entries. An argument that is not exactly as planned makes the answer `MISS`, with nothing
; done: Python then looks for another specialisation or takes the slow path. The kernel runs without the GIL.
; Objects are laid out as CPython and NumPy declare them; runtime/layout.py checks the offsets before first use.

@tp_miss = external global i8
@tp_none = external global i8
@tp_true = external global i8
@tp_false = external global i8
@tp_ndarray_type = external global i8
@tp.handler = internal global ptr null      ; NumPy's memory handler for blocks of ours

declare ptr @PyBytes_AsString(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyLong_FromLongLong(i64)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyErr_Occurred()
declare ptr @PyObject_CallFunction(ptr, ptr, ...)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyArray_NewFromDescr(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare ptr @PyArray_Scalar(ptr, ptr, ptr)

@tp.fault_format = internal constant [4 x i8] c"LLL\00"

; The handler of array memory, a capsule that lives as long as the process.
define void @tp_set_handler(ptr %capsule) {
  store ptr %capsule, ptr @tp.handler
  ret void
}

define ptr @tp_call(ptr %self, ptr %args, i64 %nargs) {
entry:
  %plan = call ptr @PyBytes_AsString(ptr %self)
  %params = call i64 @tp.word(ptr %plan, i64 1)
  %same_count = icmp eq i64 %nargs, %params
  br i1 %same_count, label %room, label %miss
room:
  %arg_slots = call i64 @tp.word(ptr %plan, i64 2)
  %result_slots = call i64 @tp.word(ptr %plan, i64 4)
  %arguments = alloca i64, i64 %arg_slots
  %results = alloca i64, i64 %result_slots
  %span_words = shl i64 %params, 1
  %spans = alloca i64, i64 %span_words
  %fault = alloca [2 x i64]
  %read = call i1 @tp.read_arguments(ptr %plan, ptr %args, ptr %arguments, ptr %spans)
  br i1 %read, label %overlap, label %miss
overlap:
  %written = call i64 @tp.word(ptr %plan, i64 6)
  %writes = icmp ne i64 %written, 0
  br i1 %writes, label %compare, label %run
compare:
  %disjoint = call i1 @tp.disjoint(ptr %plan, ptr %spans, i64 %params)
  br i1 %disjoint, label %run, label %miss
run:
  %kernel_word = call i64 @tp.word(ptr %plan, i64 0)
  %kernel = inttoptr i64 %kernel_word to ptr
  %outer = call i32 @tp.watch()
  %thread = call ptr @PyEval_SaveThread()
  %code = call i64 %kernel(ptr %arguments, ptr %results, ptr %fault)
  call void @PyEval_RestoreThread(ptr %thread)
  call void @tp.unwatch(i32 %outer)
  %raised = call ptr @PyErr_Occurred()
  %interrupted = icmp ne ptr %raised, null
  %failed = icmp ne i64 %code, 0
  br i1 %failed, label %stopped, label %finished
stopped:
  br i1 %interrupted, label %error, label %report
report:
  %callback_word = call i64 @tp.word(ptr %plan, i64 7)
  %callback = inttoptr i64 %callback_word to ptr
  %first = load i64, ptr %fault
  %second_field = getelementptr i64, ptr %fault, i64 1
  %second = load i64, ptr %second_field
  %told = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %callback, ptr @tp.fault_format, i64 %code, i64 %first, i64 %second)
  ret ptr %told
finished:
  %answer = call ptr @tp.wrap(ptr %plan, ptr %args, ptr %results, i1 %interrupted)
  ret ptr %answer
error:
  ret ptr null
miss:
  call void @Py_IncRef(ptr @tp_miss)
  ret ptr @tp_miss
}

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

; Python objects for all results, then the answer: None, the only output, or a tuple of them.
; After a failure (or an interrupt that the kernel outran) the rest is only released.
define internal ptr @tp.wrap(ptr %plan, ptr %args, ptr %results, i1 %interrupted) {
entry:
  %count = call i64 @tp.word(ptr %plan, i64 3)
  %objects = alloca ptr, i64 %count
  %results_at = call i64 @tp.word(ptr %plan, i64 8)
  %first = getelementptr i64, ptr %plan, i64 %results_at
  br label %make
make:
  %k = phi i64 [ 0, %entry ], [ %k_next, %made ]
  %record = phi ptr [ %first, %entry ], [ %record_next, %made ]
  %slot = phi ptr [ %results, %entry ], [ %slot_next, %made ]
  %failed = phi i1 [ %interrupted, %entry ], [ %failed_next, %made ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %object, label %answer
object:
  %object_made = call ptr @tp.make_object(ptr %record, ptr %slot, ptr %args, i1 %failed)
  br label %made
made:
  %place = getelementptr ptr, ptr %objects, i64 %k
  store ptr %object_made, ptr %place
  %missing = icmp eq ptr %object_made, null
  %failed_next = or i1 %failed, %missing
  %rank = call i64 @tp.word(ptr %record, i64 2)
  %slot_words = add i64 %rank, 1
  %slot_next = getelementptr i64, ptr %slot, i64 %slot_words
  %record_next = getelementptr i64, ptr %record, i64 4
  %k_next = add i64 %k, 1
  br label %make
answer:
  br i1 %failed, label %release, label %build
build:
  %built = call ptr @tp.build_answer(ptr %plan, ptr %args, ptr %objects)
  br label %release
release:
  %result = phi ptr [ null, %answer ], [ %built, %build ]
  br label %drop
drop:
  %r = phi i64 [ 0, %release ], [ %r_next, %dropped ]
  %r_more = icmp slt i64 %r, %count
  br i1 %r_more, label %dropping, label %return
dropping:
  %r_place = getelementptr ptr, ptr %objects, i64 %r
  %r_object = load ptr, ptr %r_place
  call void @Py_DecRef(ptr %r_object)
  br label %dropped
dropped:
  %r_next = add i64 %r, 1
  br label %drop
return:
  ret ptr %result
}

; A new reference to the object of one result, or null. 0: the argument that was written into; 1: float; 2: int;
; 3: bool; 4: NumPy scalar; 5: array. With %release nothing is made, and the memory of an array is freed.
define internal ptr @tp.make_object(ptr %record, ptr %slot, ptr %args, i1 %release) {
entry:
  %kind = call i64 @tp.word(ptr %record, i64 0)
  br i1 %release, label %give_up, label %by_kind
give_up:
  %was_array = icmp eq i64 %kind, 5
  br i1 %was_array, label %free, label %nothing
free:
  %unused = load ptr, ptr %slot
  call void @tp_free(ptr %unused)
  br label %nothing
nothing:
  ret ptr null
by_kind:
  switch i64 %kind, label %nothing [
    i64 0, label %argument
    i64 1, label %float
    i64 2, label %int
    i64 3, label %bool
    i64 4, label %numpy_scalar
    i64 5, label %array
  ]
argument:
  %param = call i64 @tp.word(ptr %record, i64 3)
  %arg_place = getelementptr ptr, ptr %args, i64 %param
  %arg = load ptr, ptr %arg_place
  call void @Py_IncRef(ptr %arg)
  ret ptr %arg
float:
  %float_value = load double, ptr %slot
  %float_object = call ptr @PyFloat_FromDouble(double %float_value)
  ret ptr %float_object
int:
  %int_value = load i64, ptr %slot
  %int_object = call ptr @PyLong_FromLongLong(i64 %int_value)
  ret ptr %int_object
bool:
  %bool_value = load i64, ptr %slot
  %is_true = icmp ne i64 %bool_value, 0
  %bool_object = select i1 %is_true, ptr @tp_true, ptr @tp_false
  call void @Py_IncRef(ptr %bool_object)
  ret ptr %bool_object
numpy_scalar:
  %scalar_descr = call ptr @tp.field(ptr %record, i64 8)
  %scalar_object = call ptr @PyArray_Scalar(ptr %slot, ptr %scalar_descr, ptr null)
  ret ptr %scalar_object
array:
  %array_object = call ptr @tp.make_array(ptr %record, ptr %slot)
  ret ptr %array_object
}

; An ndarray that owns the kernel's block: NumPy frees it through our handler.
define internal ptr @tp.make_array(ptr %record, ptr %slot) {
entry:
  %descr = call ptr @tp.field(ptr %record, i64 8)
  %rank = call i64 @tp.word(ptr %record, i64 2)
  %rank32 = trunc i64 %rank to i32
  %data = load ptr, ptr %slot
  %dims = getelementptr i64, ptr %slot, i64 1
  call void @Py_IncRef(ptr %descr)
  ; 1025 = C_CONTIGUOUS | WRITEABLE; the reference to the dtype is taken over
  %array = call ptr @PyArray_NewFromDescr(ptr @tp_ndarray_type, ptr %descr, i32 %rank32, ptr %dims, ptr null, ptr %data, i32 1025, ptr null)
  %failed = icmp eq ptr %array, null
  br i1 %failed, label %release, label %own
release:
  call void @tp_free(ptr %data)
  ret ptr null
own:
  %flags_field = getelementptr i8, ptr %array, i64 $array_flags
  %flags = load i32, ptr %flags_field
  ; 4 = OWNDATA
  %owning = or i32 %flags, 4
  store i32 %owning, ptr %flags_field
  %handler = load ptr, ptr @tp.handler
  call void @Py_IncRef(ptr %handler)
  %handler_field = getelementptr i8, ptr %array, i64 $array_handler
  store ptr %handler, ptr %handler_field
  ret ptr %array
}

define internal ptr @tp.build_answer(ptr %plan, ptr %args, ptr %objects) {
entry:
  %count = call i64 @tp.word(ptr %plan, i64 5)
  %outputs_at = call i64 @tp.word(ptr %plan, i64 9)
  %outputs = getelementptr i64, ptr %plan, i64 %outputs_at
  switch i64 %count, label %several [
    i64 0, label %none
    i64 1, label %one
  ]
none:
  call void @Py_IncRef(ptr @tp_none)
  ret ptr @tp_none
one:
  %only = call ptr @tp.output(ptr %outputs, i64 0, ptr %args, ptr %objects)
  ret ptr %only
several:
  %tuple = call ptr @PyTuple_New(i64 %count)
  %failed = icmp eq ptr %tuple, null
  br i1 %failed, label %return, label %item
item:
  %k = phi i64 [ 0, %several ], [ %k_next, %item ]
  %object = call ptr @tp.output(ptr %outputs, i64 %k, ptr %args, ptr %objects)
  %set = call i32 @PyTuple_SetItem(ptr %tuple, i64 %k, ptr %object)
  %k_next = add i64 %k, 1
  %more = icmp slt i64 %k_next, %count
  br i1 %more, label %item, label %return
return:
  ret ptr %tuple
}

; A new reference to output %k: a result, or for a complemented number an argument.
define internal ptr @tp.output(ptr %outputs, i64 %k, ptr %args, ptr %objects) {
  %code = call i64 @tp.word(ptr %outputs, i64 %k)
  %of_argument = icmp slt i64 %code, 0
  %complement = xor i64 %code, -1
  %index = select i1 %of_argument, i64 %complement, i64 %code
  %table = select i1 %of_argument, ptr %args, ptr %objects
  %place = getelementptr ptr, ptr %table, i64 %index
  %object = load ptr, ptr %place
  call void @Py_IncRef(ptr %object)
  ret ptr %object
}

define internal i64 @tp.word(ptr %table, i64 %k) alwaysinline {
  %place = getelementptr i64, ptr %table, i64 %k
  %value = load i64, ptr %place
  ret i64 %value
}

define internal ptr @tp.field(ptr %object, i64 %offset) alwaysinline {
  %place = getelementptr i8, ptr %object, i64 %offset
  %value = load ptr, ptr %place
  ret ptr %value
}
