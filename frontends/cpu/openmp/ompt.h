// OMPT, the interface by which an OpenMP library tells a tool what it does: the part used here.
//
// Written from the OpenMP 5.1 specification, section 4 (names and values are its), so that building
// needs no OpenMP headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::openmp::ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};

enum Callback : int {
  kThreadBegin = 1,
  kThreadEnd = 2,
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kSyncRegionWait = 16,
  kDependences = 18,
  kSyncRegion = 23,
  kCancel = 30,
  kReduction = 31,
};

enum SetResult : int { kSetAlways = 5 };

enum Endpoint : int { kBegin = 1, kEnd = 2, kBeginEnd = 3 };

enum SyncRegion : int {
  kBarrier = 1,
  kBarrierImplicit = 2,
  kBarrierExplicit = 3,
  kBarrierImplementation = 4,
  kTaskwait = 5,
  kTaskgroup = 6,
  kReductionRegion = 7,
  kBarrierWorkshare = 8,
  kBarrierParallel = 9,
  kBarrierTeams = 10,
};

enum TaskFlag : unsigned {
  kInitial = 0x1,
  kImplicit = 0x2,
  kExplicit = 0x4,
  kTarget = 0x8,
  kTaskwaitTask = 0x10,
  kUndeferred = 0x08000000,
  kUntied = 0x10000000,
  kFinal = 0x20000000,
  kMergeable = 0x40000000,
  kMerged = 0x80000000,
};

enum TaskStatus : int {
  kComplete = 1,
  kYield = 2,
  kCancelled = 3,
  kDetach = 4,
  kEarlyFulfil = 5,
  kLateFulfil = 6,
  kSwitch = 7,
  kTaskwaitComplete = 8,
};

enum DependenceType : int {
  kIn = 1,
  kOut = 2,
  kInOut = 3,
  kMutexInOutSet = 4,
  kSource = 5,
  kSink = 6,
  kInOutSet = 7,
  kOutAllMemory = 34,
  kInOutAllMemory = 35,
};

struct Dependence {
  Data variable;
  DependenceType type;
};
static_assert(sizeof(Dependence) == 16);

// Where a task is on the stack: `enter` is where it entered the library, 0 while it runs.
struct Frame {
  Data exit;
  Data enter;
  int exit_flags;
  int enter_flags;
};
static_assert(sizeof(Frame) == 24);

using Function = void (*)();
using Lookup = Function (*)(const char* name);
using SetCallback = int (*)(Callback which, Function callback);
using GetTaskInfo = int (*)(int ancestor, int* flags, Data** task, Frame** frame, Data** region,
                            int* thread);
using GetTaskMemory = int (*)(void** address, std::size_t* size, int block);

struct StartToolResult {
  int (*initialize)(Lookup lookup, int device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};
static_assert(sizeof(StartToolResult) == 24);

}  // namespace redflag::openmp::ompt
