; What the options of LLVM's own pass leave out, as clang's -fno-sanitize-thread-* set them, is left out here.
; RUN: %opt -tsan-instrument-memory-accesses=0 -passes=redflag-instrument %s | %check --check-prefixes=CHECK,COPY,ATOMIC,FRAME
; RUN: %opt -tsan-instrument-memintrinsics=0 -passes=redflag-instrument %s | %check --check-prefixes=CHECK,ACCESS,ATOMIC,FRAME
; RUN: %opt -tsan-instrument-atomics=0 -passes=redflag-instrument %s | %check --check-prefixes=CHECK,ACCESS,COPY,FRAME
; RUN: %opt -tsan-instrument-func-entry-exit=0 -passes=redflag-instrument %s | %check --check-prefixes=CHECK,ACCESS,COPY,ATOMIC
; RUN: %opt -tsan-instrument-atomics=0 -tsan-instrument-func-entry-exit=0 -passes=redflag-instrument %s \
; RUN:   | %check --check-prefixes=CHECK,ACCESS,COPY
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: define void @all(
; FRAME-NEXT: call ptr @llvm.returnaddress
; FRAME: store ptr %top
; ACCESS-NEXT: call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
; CHECK-NEXT: store i32 1, ptr %p
; COPY-NEXT: call ptr @__tsan_memset(ptr %p, i32 0, i64 %n)
; ACCESS-NOT: {{^}}  call void @redflag.check
; ATOMIC: call void @__tsan_atomic32_store(ptr %flag, i32 1, i32 3)
; CHECK: ret void
define void @all(ptr %p, i64 %n, ptr %flag) sanitize_thread {
  store i32 1, ptr %p
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  store atomic i32 1, ptr %flag release, align 4
  ret void
}
