; Memory of arrays: blocks aligned to 64 bytes, kept in free lists by size class.
;
;   block ::= header (64 bytes) | payload          tp_alloc returns the payload
;   header ::= i64 size class | i64 block bytes | ptr next free block of the class | i64 is it lent?
;
; There are four classes per power of two, so a block is at most a quarter larger than asked for.
; A freed block goes back to its list: a result as large as the last one costs no page fault. What the lists hold beyond
; @tp.cap bytes is lent: the system may take the pages of such a block when it needs memory, and until then they are
; there for the next call. Only large blocks are lent, and no more than @tp.lent_cap bytes; when neither is possible the
; lists are emptied and filled anew.
; One spin lock guards lists and counters; nobody holds it while calling the system.

@tp.cap = internal global i64 268435456
@tp.lent_cap = internal global i64 0
@tp.lists = internal global [256 x ptr] zeroinitializer
@tp.memory_lock = internal global i32 0

@tp.live_blocks = internal global i64 0
@tp.live_bytes = internal global i64 0
@tp.cached_blocks = internal global i64 0
@tp.cached_bytes = internal global i64 0
@tp.allocations = internal global i64 0
@tp.lent_bytes = internal global i64 0

; Whom to tell when more bytes than a limit are about to be in use.
@tp.alarm = internal global ptr null
@tp.alarm_limit = internal global i64 9223372036854775807

declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; The payload of a block of at least %bytes bytes; null when there is no memory.
define ptr @tp_alloc(i64 %bytes) {
entry:
  %absurd = icmp ugt i64 %bytes, 4611686018427387904
  br i1 %absurd, label %fail, label %classify
classify:
  ; The top three bits of `wanted - 1` name the class: 4, 5, 6 or 7 steps of a quarter of its power of two.
  %with_header = add i64 %bytes, 64
  %wanted = call i64 @llvm.umax.i64(i64 %with_header, i64 128)
  %last = sub i64 %wanted, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 true)
  %top = sub i64 63, %zeros
  %shift = sub i64 %top, 2
  %step = lshr i64 %last, %shift
  %next_step = add i64 %step, 1
  %block_bytes = shl i64 %next_step, %shift
  %power = shl i64 %top, 2
  %quarter = and i64 %step, 3
  %class = or i64 %power, %quarter
  %list = getelementptr ptr, ptr @tp.lists, i64 %class
  call void @tp.lock_memory()
  %head = load ptr, ptr %list
  %found = icmp ne ptr %head, null
  br i1 %found, label %reuse, label %fresh
reuse:
  %next_field = getelementptr i8, ptr %head, i64 16
  %next = load ptr, ptr %next_field
  store ptr %next, ptr %list
  call void @tp.uncount(ptr %head, i64 %block_bytes)
  br label %done
fresh:
  %live = load i64, ptr @tp.live_bytes
  call void @tp.unlock_memory()
  %made = call ptr @tp.system_block(i64 %block_bytes)
  %out = icmp eq ptr %made, null
  br i1 %out, label %fail, label %stamp
stamp:
  call void @tp.look_out(i64 %live, i64 %block_bytes)
  store i64 %class, ptr %made
  %bytes_field = getelementptr i8, ptr %made, i64 8
  store i64 %block_bytes, ptr %bytes_field
  call void @tp.lock_memory()
  br label %done
done:
  %block = phi ptr [ %head, %reuse ], [ %made, %stamp ]
  call void @tp.count(ptr @tp.live_blocks, i64 1)
  call void @tp.count(ptr @tp.live_bytes, i64 %block_bytes)
  call void @tp.count(ptr @tp.allocations, i64 1)
  call void @tp.unlock_memory()
  %payload = getelementptr i8, ptr %block, i64 64
  ret ptr %payload
fail:
  ret ptr null
}

; Gives a payload back; null is ignored, as `free` does.
define void @tp_free(ptr %payload) {
entry:
  %nothing = icmp eq ptr %payload, null
  br i1 %nothing, label %return, label %look
look:
  %block = getelementptr i8, ptr %payload, i64 -64
  %class = load i64, ptr %block
  %bytes_field = getelementptr i8, ptr %block, i64 8
  %bytes = load i64, ptr %bytes_field
  call void @tp.lock_memory()
  %minus = sub i64 0, %bytes
  call void @tp.count(ptr @tp.live_blocks, i64 -1)
  call void @tp.count(ptr @tp.live_bytes, i64 %minus)
  %cap = load i64, ptr @tp.cap
  %cached = load i64, ptr @tp.cached_bytes
  %total = add i64 %cached, %bytes
  %fits = icmp ule i64 %total, %cap
  br i1 %fits, label %keep, label %full
keep:
  call void @tp.keep(ptr %block, i64 %class, i64 %bytes, i64 0)
  call void @tp.unlock_memory()
  br label %return
full:
  %lent = load i64, ptr @tp.lent_bytes
  %lent_total = add i64 %lent, %bytes
  %lent_cap = load i64, ptr @tp.lent_cap
  %may_lend = icmp ule i64 %lent_total, %lent_cap
  call void @tp.unlock_memory()
  %large = icmp uge i64 %bytes, 4194304
  %try = and i1 %may_lend, %large
  br i1 %try, label %offer, label %refuse
offer:
  %taken = call i1 @tp.offer_pages(ptr %block, i64 %bytes)
  br i1 %taken, label %lend, label %refuse
lend:
  call void @tp.lock_memory()
  call void @tp.keep(ptr %block, i64 %class, i64 %bytes, i64 1)
  call void @tp.unlock_memory()
  br label %return
refuse:
  %alone = icmp ugt i64 %bytes, %cap
  br i1 %alone, label %drop, label %renew
drop:
  call void @free(ptr %block)
  br label %return
renew:
  call void @tp_trim()
  call void @tp.lock_memory()
  call void @tp.keep(ptr %block, i64 %class, i64 %bytes, i64 0)
  call void @tp.unlock_memory()
  br label %return
return:
  ret void
}

; Empties the free lists.
define void @tp_trim() {
entry:
  br label %class
class:
  %k = phi i64 [ 0, %entry ], [ %k_next, %emptied ]
  %list = getelementptr ptr, ptr @tp.lists, i64 %k
  br label %pop
pop:
  call void @tp.lock_memory()
  %head = load ptr, ptr %list
  %none = icmp eq ptr %head, null
  br i1 %none, label %emptied, label %release
release:
  %next_field = getelementptr i8, ptr %head, i64 16
  %next = load ptr, ptr %next_field
  store ptr %next, ptr %list
  %bytes_field = getelementptr i8, ptr %head, i64 8
  %bytes = load i64, ptr %bytes_field
  call void @tp.uncount(ptr %head, i64 %bytes)
  call void @tp.unlock_memory()
  call void @free(ptr %head)
  br label %pop
emptied:
  call void @tp.unlock_memory()
  %k_next = add i64 %k, 1
  %more = icmp ult i64 %k_next, 256
  br i1 %more, label %class, label %return
return:
  ret void
}

; Writes live blocks, live bytes, cached blocks, cached bytes, the number of tp_alloc calls and lent bytes.
define void @tp_memory(ptr %out) {
  call void @tp.lock_memory()
  call void @tp.copy_counter(ptr @tp.live_blocks, ptr %out, i64 0)
  call void @tp.copy_counter(ptr @tp.live_bytes, ptr %out, i64 1)
  call void @tp.copy_counter(ptr @tp.cached_blocks, ptr %out, i64 2)
  call void @tp.copy_counter(ptr @tp.cached_bytes, ptr %out, i64 3)
  call void @tp.copy_counter(ptr @tp.allocations, ptr %out, i64 4)
  call void @tp.copy_counter(ptr @tp.lent_bytes, ptr %out, i64 5)
  call void @tp.unlock_memory()
  ret void
}

; Tells the main thread's Python of a block that is a good part of a limit, and beyond it with those in use.
define internal void @tp.look_out(i64 %live, i64 %bytes) {
entry:
  %limit = load i64, ptr @tp.alarm_limit
  %part = lshr i64 %limit, 4
  %large = icmp ugt i64 %bytes, %part
  br i1 %large, label %add, label %return
add:
  %total = add i64 %live, %bytes
  %beyond = icmp ugt i64 %total, %limit
  br i1 %beyond, label %where, label %return
where:
  %on_main = call i1 @tp.is_main()
  br i1 %on_main, label %tell, label %return
tell:
  %alarm = load ptr, ptr @tp.alarm
  call void %alarm(i64 %total)
  br label %return
return:
  ret void
}

define void @tp_set_alarm(ptr %alarm, i64 %limit) {
  store ptr %alarm, ptr @tp.alarm
  store i64 %limit, ptr @tp.alarm_limit
  ret void
}

; How many bytes the free lists may hold, and how many more of which the system may take the pages.
define void @tp_set_cap(i64 %bytes, i64 %lent) {
  call void @tp.lock_memory()
  store i64 %bytes, ptr @tp.cap
  store i64 %lent, ptr @tp.lent_cap
  call void @tp.unlock_memory()
  ret void
}

; NumPy's memory handler (NEP 49): arrays that own memory of ours are freed and resized through these.
define ptr @tp_handler_malloc(ptr %context, i64 %bytes) {
  %payload = call ptr @tp_alloc(i64 %bytes)
  ret ptr %payload
}

define ptr @tp_handler_calloc(ptr %context, i64 %count, i64 %each) {
entry:
  %bytes = mul i64 %count, %each
  %payload = call ptr @tp_alloc(i64 %bytes)
  %out = icmp eq ptr %payload, null
  br i1 %out, label %return, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr %payload, i8 0, i64 %bytes, i1 false)
  br label %return
return:
  ret ptr %payload
}

define ptr @tp_handler_realloc(ptr %context, ptr %old, i64 %bytes) {
entry:
  %new = call ptr @tp_alloc(i64 %bytes)
  %out = icmp eq ptr %new, null
  br i1 %out, label %return, label %check
check:
  %first = icmp eq ptr %old, null
  br i1 %first, label %return, label %copy
copy:
  %bytes_field = getelementptr i8, ptr %old, i64 -56
  %block_bytes = load i64, ptr %bytes_field
  %old_bytes = sub i64 %block_bytes, 64
  %common = call i64 @llvm.umin.i64(i64 %bytes, i64 %old_bytes)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %common, i1 false)
  call void @tp_free(ptr %old)
  br label %return
return:
  ret ptr %new
}

define void @tp_handler_free(ptr %context, ptr %payload, i64 %bytes) {
  call void @tp_free(ptr %payload)
  ret void
}

; A new block from the system; when that fails, once more with the free lists emptied. From 4 MB on it lies on huge pages
; where the system has them: the first touch of a page is what a new block costs.
define internal ptr @tp.system_block(i64 %bytes) {
entry:
  %place = alloca ptr
  %large = icmp uge i64 %bytes, 4194304
  %alignment = select i1 %large, i64 2097152, i64 64
  %failed = call i32 @posix_memalign(ptr %place, i64 %alignment, i64 %bytes)
  %ok = icmp eq i32 %failed, 0
  br i1 %ok, label %made, label %again
again:
  call void @tp_trim()
  %failed_again = call i32 @posix_memalign(ptr %place, i64 %alignment, i64 %bytes)
  %ok_again = icmp eq i32 %failed_again, 0
  br i1 %ok_again, label %made, label %out
made:
  %block = load ptr, ptr %place
  br i1 %large, label %advise, label %return
advise:
  call void @tp.use_huge_pages(ptr %block, i64 %bytes)
  br label %return
return:
  ret ptr %block
out:
  ret ptr null
}

; Puts a block in front of its list, lent or not; the lock is held.
define internal void @tp.keep(ptr %block, i64 %class, i64 %bytes, i64 %lent) {
  %list = getelementptr ptr, ptr @tp.lists, i64 %class
  %head = load ptr, ptr %list
  %next_field = getelementptr i8, ptr %block, i64 16
  store ptr %head, ptr %next_field
  store ptr %block, ptr %list
  %lent_field = getelementptr i8, ptr %block, i64 24
  store i64 %lent, ptr %lent_field
  call void @tp.count_kept(i64 %lent, i64 1, i64 %bytes)
  ret void
}

; Counts a block that left its list; the lock is held.
define internal void @tp.uncount(ptr %block, i64 %bytes) {
  %lent_field = getelementptr i8, ptr %block, i64 24
  %lent = load i64, ptr %lent_field
  %minus = sub i64 0, %bytes
  call void @tp.count_kept(i64 %lent, i64 -1, i64 %minus)
  ret void
}

define internal void @tp.count_kept(i64 %lent, i64 %blocks, i64 %bytes) alwaysinline {
  %is_lent = icmp ne i64 %lent, 0
  %own_blocks = select i1 %is_lent, i64 0, i64 %blocks
  %own_bytes = select i1 %is_lent, i64 0, i64 %bytes
  %lent_bytes = select i1 %is_lent, i64 %bytes, i64 0
  call void @tp.count(ptr @tp.cached_blocks, i64 %own_blocks)
  call void @tp.count(ptr @tp.cached_bytes, i64 %own_bytes)
  call void @tp.count(ptr @tp.lent_bytes, i64 %lent_bytes)
  ret void
}

define internal void @tp.count(ptr %counter, i64 %change) alwaysinline {
  %old = load i64, ptr %counter
  %new = add i64 %old, %change
  store i64 %new, ptr %counter
  ret void
}

define internal void @tp.copy_counter(ptr %counter, ptr %out, i64 %k) alwaysinline {
  %value = load i64, ptr %counter
  %place = getelementptr i64, ptr %out, i64 %k
  store i64 %value, ptr %place
  ret void
}

define internal void @tp.lock_memory() {
entry:
  br label %try
try:
  %old = atomicrmw xchg ptr @tp.memory_lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %return, label %wait
wait:
  call void @tp.give_way()
  br label %try
return:
  ret void
}

define internal void @tp.unlock_memory() alwaysinline {
  store atomic i32 0, ptr @tp.memory_lock release, align 4
  ret void
}
