; From result slots to Python objects, as the plan says (entry.ll).

@tp_none = external global i8
@tp_false = external global i8
@tp.handler = internal global ptr null      ; NumPy's memory handler for blocks of ours

declare ptr @PyFloat_FromDouble(double)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyArray_NewFromDescr(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare ptr @PyArray_Scalar(ptr, ptr, ptr)

; The handler of array memory, a capsule that lives as long as the process.
define void @tp_set_handler(ptr %capsule) {
  store ptr %capsule, ptr @tp.handler
  ret void
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
