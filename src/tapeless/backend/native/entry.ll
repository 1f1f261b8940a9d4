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
@tp_true = external global i8
@tp_ndarray_type = external global i8

declare ptr @PyBytes_AsString(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyErr_Occurred()
declare ptr @PyObject_CallFunction(ptr, ptr, ...)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)

@tp.fault_format = internal constant [4 x i8] c"LLL\00"

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
