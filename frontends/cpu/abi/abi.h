// The interface between compiled code and libredflag, besides the functions of -fsanitize=thread.
// It has constants only, because both the plugin (built against LLVM) and the library (built
// against nothing) include it.
//
// A thread's state is the thread-local __redflag_hot, whose first fields are at these offsets
// (core/live/thread.h asserts them). The cell of a granule, 8 bytes of memory, is at its address
// with the bits of kCellDistance flipped: in its low half the last write, in its high half the last
// read, each an epoch with the bytes that it touched (core/live/entry.h). An access needs no check
// where an entry has the thread's epoch and the bytes of the access:
//   write: ((low  ^ me) & (kEntryOfMe without the other bytes)) == 0
//   read:  the same, or ((high ^ me) & (kEntryFlag | that)) == 0
// Any other access calls one of these, N of kSizes:
//   __redflag_{read,write}N(p)
//   __redflag_{read,write}_n(p, n)
// They preserve all general registers but r11 (LLVM's preserve_mostcc), so that the path without a
// call has no registers to save. Ranges are ordinary calls:
//   __redflag_{read,write}_range(p, bytes)
//   __redflag_{read,write}_strided(p, step, count, size)
//   __redflag_{read,write}_rows(p, step, count, size, rows, pitch)
#pragma once

#include <cstdint>

namespace redflag::abi {

inline constexpr unsigned kHotMe = 0;      // i32: the thread's current epoch, with all bytes
inline constexpr unsigned kHotTop = 8;     // ptr: the place of the next frame
inline constexpr unsigned kHotLimit = 16;  // ptr: the end of the space for frames
inline constexpr unsigned kHotChanges =
    24;  // ptr: to the i64 that counts the thread's synchronisations
inline constexpr unsigned kHotSince =
    56;  // i64: with --budget, the time when the thread entered code that checks; else 0
inline constexpr unsigned kHotVerdict = 64;  // i32: the last result of __redflag_sample
inline constexpr unsigned kHotWork =
    72;  // i64: instructions executed and not yet recorded (count.cpp)
inline constexpr unsigned kFrameBytes =
    16;  // of a frame: the return address, then an i32 that is 0

inline constexpr unsigned kMostUnwound = 1U
                                         << 16;  // bytes of frames that a return may leave behind

inline constexpr unsigned kGranuleShift = 3;  // bytes to a cell of the shadow
inline constexpr std::uint64_t kCellDistance = 0x6000'0000'0000;
inline constexpr std::uint32_t kEntryOfMe = 0x7fffffff;  // epoch and bytes
inline constexpr std::uint32_t kEntryBytes = 0xff;
inline constexpr std::uint32_t kEntryFlag = 0x80000000;

inline constexpr unsigned kSizes[] = {1, 2, 4, 8, 16};

// Sampling (frontends/cpu/pass/sampled.cpp). A region has a thread-local i32, first 0. Its upper
// bits (from kOneWait on) count the executions to skip, its lower bits the samples so far. Below
// kOneWait, __redflag_sample(slot, address or null, kind) decides; below 0, the region is always
// sampled. __redflag_pause(), __redflag_resume() and __redflag_come_back() measure the time in code
// that checks, where __redflag_measures is not 0.
inline constexpr int kOneWait = 1 << 10;
inline constexpr std::uint32_t kSampleFunction = 0;
inline constexpr std::uint32_t kSampleLoop = 1;
inline constexpr std::uint32_t kSampleCheck = 2;
inline constexpr const char* kSampledSection = "redflag_sampled";

}  // namespace redflag::abi
