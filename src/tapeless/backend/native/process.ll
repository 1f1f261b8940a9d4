; The process around the kernels: start, fork, waiting, and Ctrl-C.
;
; Only the main thread is interrupted, as in plain Python, and only inside an entry point (@tp.watched), which
; can report it. Every tenth of a second a poll takes the GIL and runs Python's signal handlers. When one
; raises, its exception stays set in the thread state; polls answer 1 from then on, on this thread and on the
; workers of its region, so the kernel comes to its end and the entry point finds the exception.

@tp.main = internal global i64 0
@tp.watched = internal global i32 0
@tp.interrupted = internal global i32 0
@tp.last_poll = internal global i64 0

declare i64 @pthread_self()
declare i32 @sched_yield()
declare i32 @nanosleep(ptr, ptr)
declare i32 @clock_gettime(i32, ptr)
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
$declarations

; Once per process: which thread is the main one, how many threads a region may use.
define void @tp_start(i64 %main, i64 %threads) {
  store i64 %main, ptr @tp.main
  call void @tp.start_threads(i64 %threads)
  ret void
}

; Around a fork. The memory lock is held meanwhile, so that the child finds whole lists; the forking thread is
; the only one of the child, hence its main one.
define void @tp_before_fork() {
  call void @tp.lock_memory()
  ret void
}

define void @tp_after_fork_in_parent() {
  call void @tp.unlock_memory()
  ret void
}

define void @tp_after_fork_in_child() {
  call void @tp.unlock_memory()
  call void @tp.forget_threads()
  %self = call i64 @pthread_self()
  store i64 %self, ptr @tp.main
  store i32 0, ptr @tp.watched
  ret void
}

; Nonzero when the computation should stop. Cheap: a system clock is read, rarely more.
define i64 @tp_poll() {
entry:
  %on_main = call i1 @tp.is_main()
  br i1 %on_main, label %main, label %other
other:
  %cancelled = call i64 @tp.worker_cancelled()
  ret i64 %cancelled
main:
  %watched = load i32, ptr @tp.watched
  %ignored = icmp eq i32 %watched, 0
  br i1 %ignored, label %go_on, label %known
known:
  %interrupted = load i32, ptr @tp.interrupted
  %already = icmp ne i32 %interrupted, 0
  br i1 %already, label %stop, label %clock
clock:
  %now = call i64 @tp.nanoseconds()
  %last = load i64, ptr @tp.last_poll
  %since = sub i64 %now, %last
  %due = icmp sgt i64 %since, 100000000
  br i1 %due, label %ask, label %go_on
ask:
  store i64 %now, ptr @tp.last_poll
  %state = call i32 @PyGILState_Ensure()
  %raised = call i32 @PyErr_CheckSignals()
  call void @PyGILState_Release(i32 %state)
  %quiet = icmp eq i32 %raised, 0
  br i1 %quiet, label %go_on, label %interrupt
interrupt:
  store i32 1, ptr @tp.interrupted
  call void @tp.cancel_region()
  br label %stop
stop:
  ret i64 1
go_on:
  ret i64 0
}

; An entry point watches for interrupts while its kernel runs. A signal handler may call compiled code itself:
; the outer watch is handed back to `tp.unwatch`.
define internal i32 @tp.watch() {
entry:
  %before = load i32, ptr @tp.watched
  %on_main = call i1 @tp.is_main()
  br i1 %on_main, label %begin, label %return
begin:
  store i32 0, ptr @tp.interrupted
  store i32 1, ptr @tp.watched
  br label %return
return:
  ret i32 %before
}

define internal void @tp.unwatch(i32 %before) {
entry:
  %on_main = call i1 @tp.is_main()
  br i1 %on_main, label %end, label %return
end:
  store i32 0, ptr @tp.interrupted
  store i32 %before, ptr @tp.watched
  br label %return
return:
  ret void
}

define internal i1 @tp.is_main() {
  %self = call i64 @pthread_self()
  %main = load i64, ptr @tp.main
  %same = icmp eq i64 %self, %main
  ret i1 %same
}

; The monotonic clock.
define internal i64 @tp.nanoseconds() {
  %time = alloca [2 x i64]
  %failed = call i32 @clock_gettime(i32 $monotonic, ptr %time)
  %seconds = load i64, ptr %time
  %rest_field = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest_field
  %whole = mul i64 %seconds, 1000000000
  %all = add i64 %whole, %rest
  ret i64 %all
}

define internal void @tp.relax() alwaysinline {
  $relax
  ret void
}

; Asks for huge pages under a large block.
define internal void @tp.use_huge_pages(ptr %block, i64 %bytes) {
  $huge_pages
  ret void
}

; Lets the system take the pages of a large block when it needs them, but for those of its header; did it agree?
define internal i1 @tp.offer_pages(ptr %block, i64 %bytes) {
entry:
  ; In whole huge pages, which would be broken up otherwise.
  %first = getelementptr i8, ptr %block, i64 2097152
  %rest = sub i64 %bytes, 2097152
  %whole = and i64 %rest, -2097152
  $offer_pages
  ret i1 %taken
}

define internal void @tp.give_way() {
  %done = call i32 @sched_yield()
  ret void
}

define internal void @tp.nap() {
  %time = alloca [2 x i64]
  %fraction = getelementptr i64, ptr %time, i64 1
  store i64 0, ptr %time
  store i64 50000, ptr %fraction
  %done = call i32 @nanosleep(ptr %time, ptr null)
  ret void
}
