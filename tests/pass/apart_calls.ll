; Two equal calls of a one-sided operation stay two, each with its line; others are LLVM's to merge.
; RUN: %opt -passes=redflag-apart %s | %check --check-prefix=MARK
; RUN: %opt -passes='default<O2>' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @MPI_Put(ptr)
declare void @shmem_quiet()
declare void @other(ptr)

; MARK-LABEL: @twice(
; MARK: call void @MPI_Put(ptr %p) #[[apart:[0-9]+]]
; MARK: call void @MPI_Put(ptr %p) #[[apart]]
; MARK: call void @shmem_quiet() #[[apart]]
; MARK: call void @other(ptr %p){{$}}
; MARK: attributes #[[apart]] = { nomerge }

; CHECK-LABEL: @twice(
; CHECK: call void @MPI_Put
; CHECK: call void @MPI_Put
; CHECK: ret void
define void @twice(ptr %p, i1 %c) {
  br i1 %c, label %a, label %b
a:
  call void @MPI_Put(ptr %p)
  br label %end
b:
  call void @MPI_Put(ptr %p)
  br label %end
end:
  call void @shmem_quiet()
  call void @other(ptr %p)
  ret void
}

; CHECK-LABEL: @once(
; CHECK-COUNT-1: call void @other
; CHECK-NOT: call void @other
; CHECK: ret void
define void @once(ptr %p, i1 %c) {
  br i1 %c, label %a, label %b
a:
  call void @other(ptr %p)
  br label %end
b:
  call void @other(ptr %p)
  br label %end
end:
  ret void
}
