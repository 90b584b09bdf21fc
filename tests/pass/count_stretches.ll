; Instructions are counted before the first that may leave an event, and at the end of what always follows each other.
; RUN: %opt -passes=redflag-count %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @other()
declare void @llvm.assume(i1)
declare i32 @llvm.smax.i32(i32, i32)

; The access is in its own count; the address is the load's to compute.
; CHECK-LABEL: @accesses(
; CHECK: load i64, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 72), {{.*}}!nosanitize
; CHECK-NEXT: %[[a:.*]] = add i64 %{{.*}}, 2
; CHECK-NEXT: store i64 %[[a]], ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 72), {{.*}}!nosanitize
; CHECK-NEXT: %old = load i32
; CHECK: add i64 %{{.*}}, 3
; CHECK: store i32 %most
; CHECK: add i64 %{{.*}}, 1
; CHECK: ret void
define void @accesses(ptr %p, i64 %i) {
  %j = add i64 %i, 1
  %at = getelementptr i32, ptr %p, i64 %j
  %old = load i32, ptr %at
  %new = add i32 %old, 1
  %most = call i32 @llvm.smax.i32(i32 %new, i32 7)
  store i32 %most, ptr %at
  ret void
}

; What is renamed, noted or laid out is nothing; an address that is handed on is something.
; CHECK-LABEL: @free(
; CHECK: add i64 %{{.*}}, 2
; CHECK: store ptr %handed
; CHECK: add i64 %{{.*}}, 1
; CHECK: ret i32
define i32 @free(ptr %p, i1 %c, i32 %x) {
  %space = alloca i32
  call void @llvm.assume(i1 %c)
  %number = ptrtoint ptr %p to i64
  %same = inttoptr i64 %number to ptr
  %solid = freeze i32 %x
  %handed = getelementptr i8, ptr %same, i64 4
  store ptr %handed, ptr %space
  ret i32 %solid
}

; Blocks that always follow each other are counted together, those of a branch by themselves.
; CHECK-LABEL: @blocks(
; CHECK-NEXT: entry:
; CHECK-NEXT: %a = add i32 %x, 1
; CHECK-NEXT: br label %next
; CHECK: next:
; CHECK-NEXT: %b = mul i32 %a, 3
; CHECK-NEXT: %c = icmp eq i32 %b, 9
; CHECK: add i64 %{{.*}}, 4
; CHECK: br i1 %c
; CHECK: yes:
; CHECK: add i64 %{{.*}}, 1
; CHECK-NEXT: store i64
; CHECK-NEXT: call void @other
; CHECK-NEXT: br label %end
; CHECK: end:
; CHECK: phi
; CHECK: add i64 %{{.*}}, 1
; CHECK: ret i32
define i32 @blocks(i32 %x) {
entry:
  %a = add i32 %x, 1
  br label %next
next:
  %b = mul i32 %a, 3
  %c = icmp eq i32 %b, 9
  br i1 %c, label %yes, label %end
yes:
  call void @other()
  br label %end
end:
  %r = phi i32 [ %b, %next ], [ 0, %yes ]
  ret i32 %r
}

; A tail call that must be one stays so: the return is counted with it.
; CHECK-LABEL: @tail(
; CHECK: add i64 %{{.*}}, 2
; CHECK: musttail call void @other()
; CHECK-NEXT: ret void
define void @tail() {
  musttail call void @other()
  ret void
}
