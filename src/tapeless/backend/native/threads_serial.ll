; The thread pool on systems without futexes: there is none, and every region runs on its caller's thread.

define void @tp_parallel(ptr %fn, ptr %env, i64 %blocks) {
  call void %fn(ptr %env, i64 0, i64 %blocks)
  ret void
}

define i64 @tp_threads() {
  ret i64 1
}

define void @tp_set_threads(i64 %threads) {
  ret void
}

define internal i64 @tp.worker_cancelled() {
  ret i64 0
}

define internal void @tp.cancel_region() {
  ret void
}

define internal void @tp.start_threads(i64 %threads) {
  ret void
}

define internal void @tp.forget_threads() {
  ret void
}
