; The way from a call of a compiled function to one of its builtins: what `tp.jit` returns is entered here.
;
;   tp_dispatch(self, args, nargs, names)      `self` is a bytes object (runtime/dispatch.py writes it)
;
;   self ::= settings | fallback | number of ways | way*       all i64; the builtin keeps the objects alive
;
; Under these settings, and without arguments by name, the ways are tried in order until one does not miss. Else, and when
; all have missed, the fallback is called as the function was.

@tp.block = internal global ptr null        ; the context variable of the settings of a block; None outside of blocks
@tp.process = internal global ptr null      ; the settings of the process

declare i32 @PyContextVar_Get(ptr, ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)

; Whose settings are in force. Both objects are compared, never read.
define void @tp_set_settings(ptr %block, ptr %process) {
  store ptr %block, ptr @tp.block
  store ptr %process, ptr @tp.process
  ret void
}

define ptr @tp_dispatch(ptr %self, ptr %args, i64 %nargs, ptr %names) {
entry:
  %table = call ptr @PyBytes_AsString(ptr %self)
  %positional = icmp eq ptr %names, null
  br i1 %positional, label %compare, label %other
compare:
  %wanted_word = call i64 @tp.word(ptr %table, i64 0)
  %wanted = inttoptr i64 %wanted_word to ptr
  %current = call ptr @tp.settings()
  %same = icmp eq ptr %current, %wanted
  br i1 %same, label %ways, label %other
ways:
  %count = call i64 @tp.word(ptr %table, i64 2)
  %first = getelementptr i64, ptr %table, i64 3
  br label %try
try:
  %k = phi i64 [ 0, %ways ], [ %k_next, %missed ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %call, label %other
call:
  %way_word = call i64 @tp.word(ptr %first, i64 %k)
  %way = inttoptr i64 %way_word to ptr
  %answer = call ptr @PyObject_Vectorcall(ptr %way, ptr %args, i64 %nargs, ptr null)
  %miss = icmp eq ptr %answer, @tp_miss
  br i1 %miss, label %missed, label %done
missed:
  call void @Py_DecRef(ptr %answer)
  %k_next = add i64 %k, 1
  br label %try
done:
  ret ptr %answer
other:
  %fallback_word = call i64 @tp.word(ptr %table, i64 1)
  %fallback = inttoptr i64 %fallback_word to ptr
  %told = call ptr @PyObject_Vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %names)
  ret ptr %told
}

; The settings in force here, borrowed: a block and the process each hold on to theirs.
define internal ptr @tp.settings() {
entry:
  %place = alloca ptr
  store ptr null, ptr %place
  %block = load ptr, ptr @tp.block
  %failed = call i32 @PyContextVar_Get(ptr %block, ptr null, ptr %place)
  %found = load ptr, ptr %place
  %none = icmp eq ptr %found, null
  br i1 %none, label %return, label %release
release:
  call void @Py_DecRef(ptr %found)
  br label %return
return:
  %outside = icmp eq ptr %found, @tp_none
  %process = load ptr, ptr @tp.process
  %settings = select i1 %outside, ptr %process, ptr %found
  ret ptr %settings
}
