"""The runtime functions that numba's code calls, in LLVM's language: a heap that is a stack.

Memory begins with constants and the call stack, and ends with the heap. ``allocate`` takes memory from the heap's top;
when a kernel returns, everything it has allocated is released (:mod:`.exports`), so reference counts do nothing.
"""

RUNTIME = """
@__heap_base = external global i8
@top = internal global ptr @__heap_base

declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
declare void @llvm.trap()

define ptr @allocate(i32 %size) {
entry:
  %top = load ptr, ptr @top
  %from = ptrtoint ptr %top to i32
  %room = sub i32 -16, %from
  %absurd = icmp ugt i32 %size, %room
  br i1 %absurd, label %fail, label %sane
sane:
  %end = add i32 %from, %size
  %padded = add i32 %end, 15
  %to = and i32 %padded, -16
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %last = add i32 %to, 65535
  %wanted = lshr i32 %last, 16
  %short = icmp ugt i32 %wanted, %pages
  br i1 %short, label %grow, label %done
grow:
  %more = sub i32 %wanted, %pages
  %before = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %failed = icmp eq i32 %before, -1
  br i1 %failed, label %fail, label %done
done:
  %next = inttoptr i32 %to to ptr
  store ptr %next, ptr @top
  ret ptr %top
fail:
  call void @llvm.trap()
  unreachable
}

define void @release(ptr %address) {
  store ptr %address, ptr @top
  ret void
}

define ptr @heap_top() {
  %top = load ptr, ptr @top
  ret ptr %top
}

define ptr @NRT_Allocate(i64 %size) {
  %short = trunc i64 %size to i32
  %at = call ptr @allocate(i32 %short)
  ret ptr %at
}

define void @NRT_Free(ptr %at) {
  ret void
}

; The fields are those of numba's MemInfo: count, destructor, its argument, data, size.
define ptr @NRT_MemInfo_alloc(i64 %size) {
  %short = trunc i64 %size to i32
  %whole = add i32 %short, 32
  %info = call ptr @allocate(i32 %whole)
  %data = getelementptr i8, ptr %info, i32 32
  store { i64, ptr, ptr, ptr, i64 } { i64 1, ptr null, ptr null, ptr null, i64 0 }, ptr %info
  %at = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %info, i32 0, i32 3
  store ptr %data, ptr %at
  %length = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %info, i32 0, i32 4
  store i64 %size, ptr %length
  ret ptr %info
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %info = call ptr @NRT_MemInfo_alloc(i64 %size)
  ret ptr %info
}

define ptr @NRT_MemInfo_data_fast(ptr %info) {
  %at = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %info, i32 0, i32 3
  %data = load ptr, ptr %at
  ret ptr %data
}

define void @NRT_incref(ptr %info) {
  ret void
}

define void @NRT_decref(ptr %info) {
  ret void
}

; Called by numba for reshape(), of arrays that are contiguous: the strides of the new axes, from the last to the first.
define i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %dims, ptr %strides, i64 %newnd, ptr %newdims, ptr %newstrides,
                                         i64 %itemsize, i32 %fortran) {
entry:
  br label %next
next:
  %left = phi i64 [ %newnd, %entry ], [ %axis, %axes ]
  %stride = phi i64 [ %itemsize, %entry ], [ %wider, %axes ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %axes
axes:
  %axis = sub i64 %left, 1
  %at = getelementptr i64, ptr %newstrides, i64 %axis
  store i64 %stride, ptr %at
  %from = getelementptr i64, ptr %newdims, i64 %axis
  %length = load i64, ptr %from
  %wider = mul i64 %stride, %length
  br label %next
end:
  ret i32 1
}

; The product of two integers of 16 bytes: LLVM calls it where it sees a long multiplication, so it must not see this.
define void @__multi3(ptr %result, i64 %a, i64 %a_high, i64 %b, i64 %b_high) noinline optnone {
  %a0 = and i64 %a, 4294967295
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, 4294967295
  %b1 = lshr i64 %b, 32
  %low = mul i64 %a0, %b0
  %low_carry = lshr i64 %low, 32
  %cross1 = mul i64 %a1, %b0
  %middle = add i64 %cross1, %low_carry
  %middle_low = and i64 %middle, 4294967295
  %middle_carry = lshr i64 %middle, 32
  %cross2 = mul i64 %a0, %b1
  %upper = add i64 %cross2, %middle_low
  %upper_carry = lshr i64 %upper, 32
  %high = mul i64 %a1, %b1
  %sum1 = add i64 %high, %middle_carry
  %sum2 = add i64 %sum1, %upper_carry
  %left = mul i64 %a, %b_high
  %right = mul i64 %a_high, %b
  %sum3 = add i64 %sum2, %left
  %sum4 = add i64 %sum3, %right
  %product = mul i64 %a, %b
  store i64 %product, ptr %result
  %second = getelementptr i64, ptr %result, i32 1
  store i64 %sum4, ptr %second
  ret void
}
"""
"""The runtime. Allocated addresses are multiples of 16; numba needs alignment only for speed."""
