; An unrolled loop with a condition between the two copies of its body: both accesses are made in every iteration, so
; they are one walk. Where the loop may be left between them, they are two.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @one_walk(
; CHECK: entry:
; CHECK: %[[twice:.*]] = mul i64 %{{.*}}, 2
; CHECK: call void @redflag.range(ptr %a, i64 1, i64 %[[twice]], i64 1, i32 0)
; CHECK-NOT: call void @redflag.range
; CHECK: ret i64
define i64 @one_walk(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %both ]
  %s = phi i64 [ 0, %entry ], [ %s2, %both ]
  %p = getelementptr inbounds i8, ptr %a, i64 %i
  call void @redflag.check(ptr align 1 %p, i64 1, i32 0)
  %x = load i8, ptr %p
  %set = icmp ne i8 %x, 0
  br i1 %set, label %then, label %second
then:
  %s1 = mul i64 %s, 3
  br label %second
second:
  %s2 = phi i64 [ %s, %loop ], [ %s1, %then ]
  %q = getelementptr inbounds i8, ptr %p, i64 1
  call void @redflag.check(ptr align 1 %q, i64 1, i32 0)
  %y = load i8, ptr %q
  br label %both
both:
  %next = add nuw nsw i64 %i, 2
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %s2
}

; CHECK-LABEL: @two_walks(
; CHECK: call void @redflag.range(ptr %{{.*}}, i64 2, i64 %{{.*}}, i64 1, i32 0)
; CHECK: call void @redflag.range(ptr %{{.*}}, i64 2, i64 %{{.*}}, i64 1, i32 0)
; CHECK: ret void
define void @two_walks(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %second ]
  %p = getelementptr inbounds i8, ptr %a, i64 %i
  call void @redflag.check(ptr align 1 %p, i64 1, i32 0)
  %x = load i8, ptr %p
  %set = icmp ne i8 %x, 0
  br i1 %set, label %end, label %second
second:
  %q = getelementptr inbounds i8, ptr %p, i64 1
  call void @redflag.check(ptr align 1 %q, i64 1, i32 0)
  %y = load i8, ptr %q
  %next = add nuw nsw i64 %i, 2
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
