// What compiled code and libredflag agree on besides the functions of -fsanitize=thread. Plain
// constants: the plugin is built against LLVM, the library against nothing, and both include this.
//
// A thread's state is the thread-local __redflag_hot, whose first fields are at these offsets
// (core/live/thread.h asserts them). The cell of a granule, 8 bytes of memory, is at its address with the
// bits of kCellDistance flipped: in its low half the last write, in its high half the last read, each an
// epoch with the bytes that it touched (core/live/entry.h). Nothing is to be checked where an entry has
// the thread's epoch and the access's bytes:
//   write: ((low  ^ me) & (kEntryOfMe without the other bytes)) == 0
//   read:  the same, or ((high ^ me) & (kEntryFlag | that)) == 0
// A check that this does not settle calls
// __redflag_{read,write}N(p), N of kSizes, or __redflag_{read,write}_n(p, n): these keep all general registers but
// r11 (LLVM's preserve_mostcc), so that the way past them is not burdened. Ranges are ordinary calls:
//   __redflag_{read,write}_range(p, bytes)
//   __redflag_{read,write}_strided(p, step, count, size)
//   __redflag_{read,write}_rows(p, step, count, size, rows, pitch)
#pragma once

#include <cstdint>

namespace redflag::abi {

inline constexpr unsigned kHotMe = 0;      // i32: the thread's present epoch, with all bytes
inline constexpr unsigned kHotTop = 8;     // ptr: where the next frame goes
inline constexpr unsigned kHotLimit = 16;  // ptr: no frame goes there
inline constexpr unsigned kHotChanges =
    24;  // ptr: to the i64 that counts the thread's synchronisations
inline constexpr unsigned kHotSince =
    56;  // i64: under a budget, since when the thread is in code that checks; else 0
inline constexpr unsigned kHotVerdict = 64;  // i32: what __redflag_sample said last
inline constexpr unsigned kHotWork =
    72;  // i64: instructions executed, not yet recorded (count.cpp)
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

// Sampling (frontends/cpu/pass/sampled.cpp). A region has a thread-local i32 that is 0 at first: how
// many executions to let pass, times kOneWait, and in the lower bits how often it was sampled. Less
// than kOneWait: __redflag_sample(slot, address or null, kind) decides; less than 0: it is always
// sampled. __redflag_pause(), __redflag_resume() and __redflag_come_back() bound the
// time in code that checks, where __redflag_measures is not 0.
inline constexpr int kOneWait = 1 << 10;
inline constexpr std::uint32_t kSampleFunction = 0;
inline constexpr std::uint32_t kSampleLoop = 1;
inline constexpr std::uint32_t kSampleCheck = 2;
inline constexpr const char* kSampledSection = "redflag_sampled";

}  // namespace redflag::abi
