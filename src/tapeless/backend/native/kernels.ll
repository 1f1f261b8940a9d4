; What kernels call besides memory and threads: slots that own buffers, and the faults of parallel regions.
;
;   slot ::= ptr buffer | i64 bytes + 1 (0: no buffer)
;   env  ::= i64 code of the fault (0: none) | i64 its block | i64 detail | i64 detail | i64 lock | words of the kernel
;
; Here they are compiled once, instead of with every kernel. Loops call them, so they are always compiled well: this is a
; module of its own.

declare ptr @tp_alloc(i64)
declare void @tp_free(ptr)
declare i64 @tp_poll()

; The buffer of a slot, made larger when it has fewer than %bytes bytes; null when there is no memory.
define ptr @tp_hold(ptr %slot, i64 %bytes) {
  %at = getelementptr i8, ptr %slot, i64 8
  %held = load i64, ptr %at
  %enough = icmp ult i64 %bytes, %held
  br i1 %enough, label %old, label %grow
old:
  %buffer = load ptr, ptr %slot
  ret ptr %buffer
grow:
  %made = call ptr @tp.grow(ptr %slot, i64 %bytes)
  ret ptr %made
}

define internal ptr @tp.grow(ptr %slot, i64 %bytes) {
  call void @tp_release(ptr %slot)
  %made = call ptr @tp_alloc(i64 %bytes)
  %none = icmp eq ptr %made, null
  br i1 %none, label %done, label %keep
keep:
  %more = add i64 %bytes, 1
  %at = getelementptr i8, ptr %slot, i64 8
  store ptr %made, ptr %slot
  store i64 %more, ptr %at
  br label %done
done:
  ret ptr %made
}

define void @tp_release(ptr %slot) {
  %buffer = load ptr, ptr %slot
  %none = icmp eq ptr %buffer, null
  br i1 %none, label %done, label %free
free:
  call void @tp_free(ptr %buffer)
  store { ptr, i64 } zeroinitializer, ptr %slot
  br label %done
done:
  ret void
}

; A block of a region failed; the fault of the lowest block is kept.
define void @tp_record(ptr %env, i64 %block, i64 %code, i64 %detail0, i64 %detail1) {
entry:
  %block_at = getelementptr i64, ptr %env, i64 1
  %detail0_at = getelementptr i64, ptr %env, i64 2
  %detail1_at = getelementptr i64, ptr %env, i64 3
  %lock_at = getelementptr i64, ptr %env, i64 4
  br label %wait
wait:
  %taken = atomicrmw xchg ptr %lock_at, i64 1 acquire
  %busy = icmp ne i64 %taken, 0
  br i1 %busy, label %wait, label %compare
compare:
  %old_code = load atomic i64, ptr %env monotonic, align 8
  %old_block = load atomic i64, ptr %block_at monotonic, align 8
  %first = icmp eq i64 %old_code, 0
  %lower = icmp slt i64 %block, %old_block
  %keep = or i1 %first, %lower
  br i1 %keep, label %write, label %unlock
write:
  store atomic i64 %block, ptr %block_at monotonic, align 8
  store i64 %detail0, ptr %detail0_at
  store i64 %detail1, ptr %detail1_at
  store atomic i64 %code, ptr %env release, align 8
  br label %unlock
unlock:
  store atomic i64 0, ptr %lock_at release, align 8
  ret void
}

; Is this block of a region to be left out, because a lower one failed or the user wants to stop? Every sixteenth asks.
define i1 @tp_stopped(ptr %env, i64 %block) {
entry:
  %code = load atomic i64, ptr %env acquire, align 8
  %block_at = getelementptr i64, ptr %env, i64 1
  %failed_block = load atomic i64, ptr %block_at monotonic, align 8
  %failed = icmp ne i64 %code, 0
  %later = icmp slt i64 %failed_block, %block
  %stop = and i1 %failed, %later
  br i1 %stop, label %yes, label %turn
turn:
  %place = and i64 %block, 15
  %asks = icmp eq i64 %place, 15
  br i1 %asks, label %ask, label %no
ask:
  %answer = call i64 @tp_poll()
  %interrupted = icmp ne i64 %answer, 0
  br i1 %interrupted, label %record, label %no
record:
  call void @tp_record(ptr %env, i64 %block, i64 -1, i64 0, i64 0)
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}

; Did a block of the region fail? Then its code and details are copied for the caller.
define i1 @tp_failed(ptr %env, ptr %code_at, ptr %detail0_at, ptr %detail1_at) {
entry:
  %code = load i64, ptr %env
  %failed = icmp ne i64 %code, 0
  br i1 %failed, label %copy, label %done
copy:
  %from0 = getelementptr i64, ptr %env, i64 2
  %from1 = getelementptr i64, ptr %env, i64 3
  %detail0 = load i64, ptr %from0
  %detail1 = load i64, ptr %from1
  store i64 %code, ptr %code_at
  store i64 %detail0, ptr %detail0_at
  store i64 %detail1, ptr %detail1_at
  br label %done
done:
  ret i1 %failed
}
