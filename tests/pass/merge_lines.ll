; A report names one line: checks of two lines, or of one line of two inlined calls, stay apart.
; RUN: %opt -passes=redflag-merge %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @lines(
; CHECK: call void @redflag.check(ptr {{.*}}, i64 8, i32 0), !dbg [[first:![0-9]+]]
; CHECK: call void @redflag.check(ptr {{.*}}, i64 4, i32 0), !dbg [[second:![0-9]+]]
; CHECK: call void @redflag.check(ptr {{.*}}, i64 4, i32 0), !dbg [[third:![0-9]+]]
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @lines(ptr %p) !dbg !4 {
  %b = getelementptr i8, ptr %p, i64 4
  %c = getelementptr i8, ptr %p, i64 8
  %d = getelementptr i8, ptr %p, i64 12
  call void @redflag.check(ptr %p, i64 4, i32 0), !dbg !7
  call void @redflag.check(ptr %b, i64 4, i32 0), !dbg !8
  call void @redflag.check(ptr %c, i64 4, i32 0), !dbg !9
  call void @redflag.check(ptr %d, i64 4, i32 0), !dbg !12
  ret void, !dbg !9
}
; CHECK-DAG: [[first]] = !DILocation(line: 2, column: 3
; CHECK-DAG: [[second]] = !DILocation(line: 3, column: 3
; CHECK-DAG: [[third]] = !DILocation(line: 3, column: 3, {{.*}}inlinedAt

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "", emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "lines", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 2, column: 3, scope: !4)
!8 = !DILocation(line: 2, column: 9, scope: !4)
!9 = !DILocation(line: 3, column: 3, scope: !4)
!10 = distinct !DISubprogram(name: "inlined", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DILocation(line: 3, column: 3, scope: !4)
!12 = !DILocation(line: 3, column: 3, scope: !10, inlinedAt: !11)
