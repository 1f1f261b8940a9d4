; The thread pool (Linux): workers that spin briefly, then sleep on a futex.
;
;   tp_parallel(fn, env, blocks) calls fn(env, first, last) over a partition of [0, blocks)
;
; One region runs at a time. Whoever wants another meanwhile (a nested region, another Python thread) runs it
; by itself, so nothing waits for a lock and nothing can deadlock. The region's fields may be read by who
; has entered the gate: bit 32 says open, the low bits count the workers inside. The owner opens it, works along,
; closes it once every chunk has been claimed, and waits for those inside. A worker that comes late finds it
; closed: a region never waits for a worker that the system did not run.
; Chunks are claimed in order from a counter; results must not depend on who computes which.

@tp.threads = internal global i32 1      ; how many may work on a region, its owner included
@tp.workers = internal global i64 0      ; how many workers were started
@tp.busy = internal global i32 0         ; 1 while a region is running
@tp.gate = internal global i64 0
@tp.bell = internal global i32 0         ; changes with every region; sleepers wait on it
@tp.sleepers = internal global i32 0
@tp.worker_key = internal global i32 0   ; the pthread key that is set in workers only

@tp.region_fn = internal global ptr null
@tp.region_env = internal global ptr null
@tp.region_blocks = internal global i64 0
@tp.region_chunk = internal global i64 0
@tp.region_next = internal global i64 0
@tp.region_of_main = internal global i32 0
@tp.region_cancelled = internal global i32 0

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @pthread_key_create(ptr, ptr)
declare i32 @pthread_setspecific(i32, ptr)
declare ptr @pthread_getspecific(i32)
declare i64 @syscall(i64, ...)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)

define void @tp_parallel(ptr %fn, ptr %env, i64 %blocks) {
entry:
  %threads32 = load atomic i32, ptr @tp.threads monotonic, align 4
  %threads = sext i32 %threads32 to i64
  %least = call i64 @llvm.smin.i64(i64 %threads, i64 %blocks)
  %several = icmp sgt i64 %least, 1
  br i1 %several, label %claim, label %alone
claim:
  %claimed = cmpxchg ptr @tp.busy, i32 0, i32 1 acquire monotonic
  %mine = extractvalue { i32, i1 } %claimed, 1
  br i1 %mine, label %open, label %alone
alone:
  call void %fn(ptr %env, i64 0, i64 %blocks)
  ret void
open:
  %helpers = sub i64 %threads, 1
  call void @tp.recruit(i64 %helpers)
  store ptr %fn, ptr @tp.region_fn
  store ptr %env, ptr @tp.region_env
  store i64 %blocks, ptr @tp.region_blocks
  ; About eight chunks for each thread: enough to even out, few enough to stay contiguous.
  %shares = shl i64 %threads, 3
  %share = sdiv i64 %blocks, %shares
  %chunk = call i64 @llvm.smax.i64(i64 %share, i64 1)
  store i64 %chunk, ptr @tp.region_chunk
  store i64 0, ptr @tp.region_next
  store i32 0, ptr @tp.region_cancelled
  %on_main = call i1 @tp.is_main()
  %of_main = zext i1 %on_main to i32
  store i32 %of_main, ptr @tp.region_of_main
  store atomic i64 4294967296, ptr @tp.gate release, align 8
  call void @tp.ring(i64 %helpers, i64 %blocks)
  call void @tp.work()
  %closed = atomicrmw and ptr @tp.gate, i64 -4294967297 acq_rel
  call void @tp.await_workers()
  store i32 0, ptr @tp.region_of_main
  store atomic i32 0, ptr @tp.busy release, align 4
  ret void
}

; How many threads a region may use.
define i64 @tp_threads() {
  %threads = load atomic i32, ptr @tp.threads monotonic, align 4
  %wide = sext i32 %threads to i64
  ret i64 %wide
}

define void @tp_set_threads(i64 %threads) {
  %narrow = trunc i64 %threads to i32
  store atomic i32 %narrow, ptr @tp.threads monotonic, align 4
  ret void
}

; 1 on a thread of the pool whose region is to stop.
define internal i64 @tp.worker_cancelled() {
  %key = load i32, ptr @tp.worker_key
  %mark = call ptr @pthread_getspecific(i32 %key)
  %is_worker = icmp ne ptr %mark, null
  %cancelled = load atomic i32, ptr @tp.region_cancelled monotonic, align 4
  %stop = icmp ne i32 %cancelled, 0
  %both = and i1 %is_worker, %stop
  %result = zext i1 %both to i64
  ret i64 %result
}

; Called on the main thread when it was interrupted: the workers of its region stop as well.
define internal void @tp.cancel_region() {
  %of_main = load i32, ptr @tp.region_of_main
  %busy = load atomic i32, ptr @tp.busy monotonic, align 4
  %running = and i32 %of_main, %busy
  %old = atomicrmw or ptr @tp.region_cancelled, i32 %running monotonic
  ret void
}

define internal void @tp.start_threads(i64 %threads) {
  call void @tp_set_threads(i64 %threads)
  %failed = call i32 @pthread_key_create(ptr @tp.worker_key, ptr null)
  ret void
}

; In a forked child: it has no workers, and no region is running.
define internal void @tp.forget_threads() {
  store i64 0, ptr @tp.workers
  store i64 0, ptr @tp.gate
  store i32 0, ptr @tp.sleepers
  store i32 0, ptr @tp.region_of_main
  store i32 0, ptr @tp.busy
  ret void
}

; Claims and runs chunks until none is left.
define internal void @tp.work() {
entry:
  %fn = load ptr, ptr @tp.region_fn
  %env = load ptr, ptr @tp.region_env
  %blocks = load i64, ptr @tp.region_blocks
  %chunk = load i64, ptr @tp.region_chunk
  br label %claim
claim:
  %first = atomicrmw add ptr @tp.region_next, i64 %chunk monotonic
  %left = icmp slt i64 %first, %blocks
  br i1 %left, label %run, label %return
run:
  %end = add i64 %first, %chunk
  %last = call i64 @llvm.smin.i64(i64 %end, i64 %blocks)
  call void %fn(ptr %env, i64 %first, i64 %last)
  br label %claim
return:
  ret void
}

; Wakes as many sleepers as can be of use; those beyond the set number of threads may be the ones that wake.
define internal void @tp.ring(i64 %helpers, i64 %blocks) {
entry:
  %old = atomicrmw add ptr @tp.bell, i32 1 seq_cst
  %sleepers = load atomic i32, ptr @tp.sleepers seq_cst, align 4
  %asleep = icmp ne i32 %sleepers, 0
  br i1 %asleep, label %wake, label %return
wake:
  %others = sub i64 %blocks, 1
  %useful = call i64 @llvm.smin.i64(i64 %helpers, i64 %others)
  %workers = load i64, ptr @tp.workers
  %beyond = sub i64 %workers, %helpers
  %surplus = call i64 @llvm.smax.i64(i64 %beyond, i64 0)
  %count = add i64 %useful, %surplus
  ; futex(FUTEX_WAKE | FUTEX_PRIVATE_FLAG)
  %woken = call i64 (i64, ...) @syscall(i64 $futex, ptr @tp.bell, i64 129, i64 %count)
  br label %return
return:
  ret void
}

; The owner waits until no worker is inside: first spinning, then giving way, then in short naps.
define internal void @tp.await_workers() {
entry:
  br label %look
look:
  %turn = phi i64 [ 0, %entry ], [ %turn_next, %spin ], [ %turn_next, %yield ], [ %turn_next, %nap ]
  %inside = load atomic i64, ptr @tp.gate acquire, align 8
  %empty = icmp eq i64 %inside, 0
  br i1 %empty, label %return, label %wait
wait:
  %turn_next = add i64 %turn, 1
  %early = icmp slt i64 %turn, 2000
  br i1 %early, label %spin, label %longer
spin:
  call void @tp.relax()
  br label %look
longer:
  %stop = call i64 @tp_poll()
  %still_early = icmp slt i64 %turn, 4000
  br i1 %still_early, label %yield, label %nap
yield:
  call void @tp.give_way()
  br label %look
nap:
  call void @tp.nap()
  br label %look
return:
  ret void
}

; Starts workers until there are %helpers; fewer when the system refuses. They take no signals: these are for Python's threads.
define internal void @tp.recruit(i64 %helpers) {
entry:
  %have = load i64, ptr @tp.workers
  %enough = icmp sge i64 %have, %helpers
  br i1 %enough, label %return, label %block_signals
block_signals:
  %all = alloca [16 x i64]
  %before = alloca [16 x i64]
  %id = alloca i64
  %filled = call i32 @sigfillset(ptr %all)
  %blocked = call i32 @pthread_sigmask(i32 2, ptr %all, ptr %before)
  br label %start
start:
  %index = phi i64 [ %have, %block_signals ], [ %index_next, %started ]
  %argument = inttoptr i64 %index to ptr
  %failed = call i32 @pthread_create(ptr %id, ptr null, ptr @tp.worker, ptr %argument)
  %ok = icmp eq i32 %failed, 0
  br i1 %ok, label %started, label %restore
started:
  %thread = load i64, ptr %id
  %detached = call i32 @pthread_detach(i64 %thread)
  %index_next = add i64 %index, 1
  %more = icmp slt i64 %index_next, %helpers
  br i1 %more, label %start, label %restore
restore:
  %count = phi i64 [ %index, %start ], [ %index_next, %started ]
  store i64 %count, ptr @tp.workers
  %restored = call i32 @pthread_sigmask(i32 2, ptr %before, ptr null)
  br label %return
return:
  ret void
}

define internal ptr @tp.worker(ptr %argument) {
entry:
  %index = ptrtoint ptr %argument to i64
  %key = load i32, ptr @tp.worker_key
  %marked = call i32 @pthread_setspecific(i32 %key, ptr @tp.worker_key)
  br label %join
join:
  ; The bell is read before the gate: a region opened after that rings it again.
  %seen = load atomic i32, ptr @tp.bell seq_cst, align 4
  call void @tp.join(i64 %index)
  br label %listen
listen:
  %turn = phi i64 [ 0, %join ], [ %turn_next, %spin ]
  %bell = load atomic i32, ptr @tp.bell acquire, align 4
  %rang = icmp ne i32 %bell, %seen
  br i1 %rang, label %join, label %wait
wait:
  %turn_next = add i64 %turn, 1
  %awake = icmp slt i64 %turn, $spins
  br i1 %awake, label %spin, label %sleep
spin:
  call void @tp.relax()
  br label %listen
sleep:
  %before = atomicrmw add ptr @tp.sleepers, i32 1 seq_cst
  ; futex(FUTEX_WAIT | FUTEX_PRIVATE_FLAG) returns at once when the bell has changed
  %slept = call i64 (i64, ...) @syscall(i64 $futex, ptr @tp.bell, i64 128, i32 %seen, ptr null)
  %after = atomicrmw sub ptr @tp.sleepers, i32 1 seq_cst
  br label %join
}

; Enters the gate if it is open and this worker is wanted, and works.
define internal void @tp.join(i64 %index) {
entry:
  %threads32 = load atomic i32, ptr @tp.threads monotonic, align 4
  %threads = sext i32 %threads32 to i64
  %helpers = sub i64 %threads, 1
  %wanted = icmp slt i64 %index, %helpers
  br i1 %wanted, label %look, label %return
look:
  %gate = load atomic i64, ptr @tp.gate monotonic, align 8
  %open_bit = and i64 %gate, 4294967296
  %open = icmp ne i64 %open_bit, 0
  br i1 %open, label %enter, label %return
enter:
  %with_me = add i64 %gate, 1
  %tried = cmpxchg ptr @tp.gate, i64 %gate, i64 %with_me acquire monotonic
  %inside = extractvalue { i64, i1 } %tried, 1
  br i1 %inside, label %work, label %look
work:
  call void @tp.work()
  %left = atomicrmw sub ptr @tp.gate, i64 1 release
  br label %return
return:
  ret void
}
