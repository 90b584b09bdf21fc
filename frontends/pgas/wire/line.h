// Lines of text from a job to the command that reports: a race of a one-sided program, a misuse, or
// an omission.
//
// The job knows files and offsets, the command has the debug information. Fields are separated by
// tabs and numbers are decimal; in file names and names of windows, blanks and control characters
// are written as %XX. A reader checks every field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redflag::pgas {

// The environment: the file to which rank 0 appends its lines.
inline constexpr const char* kReportVariable = "REDFLAG_PGAS_REPORT";
// If set, races that only another run may have are reported, too.
inline constexpr const char* kPredictVariable = "REDFLAG_PGAS_PREDICT";

struct LineFrame {
  std::string file;
  std::uint64_t offset = 0;  // in the file
  bool is_entry = false;     // the first byte of a library's function; else a return address

  friend bool operator==(const LineFrame&, const LineFrame&) = default;
};

struct LineSide {
  std::uint32_t kind = 0;  // core/detect/pgas/access.h
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;  // within the rank
  bool pending = false;      // no completion is known
  std::uint64_t begin = 0;   // what it touches, in the owner's memory
  std::uint64_t size = 0;
  std::vector<LineFrame> stack;  // innermost first

  friend bool operator==(const LineSide&, const LineSide&) = default;
};

struct RaceLine {
  std::uint32_t model = 0;  // core/detect/pgas/gap.h, as is the next
  std::uint32_t gap = 0;
  std::uint32_t owner = 0;
  std::uint64_t begin = 0;  // what both touch
  std::uint64_t size = 0;
  std::string object;             // "window 2", or its name; empty: no window
  std::uint64_t object_base = 0;  // in the owner's memory
  std::uint64_t object_size = 0;
  LineSide first;
  LineSide second;

  friend bool operator==(const RaceLine&, const RaceLine&) = default;
};

// An operation that is wrong by itself. The rank that calls it sends this to its own command, before
// the library is called.
enum class Misuse : std::uint8_t {
  kNoEpoch,
  kOutOfBounds,
  kNoSuchRank,
  kUnreachable,
  kNotRunning,
  kBadHandle,
  kDoubleLock,
  kUnlockUnlocked,
};
inline constexpr std::uint32_t kMisuseCount = 8;

struct MisuseLine {
  std::uint32_t misuse = 0;       // of Misuse
  std::uint32_t target = 0;       // in the window; a PE
  std::string object;             // "window 2"; empty: none
  std::uint64_t object_size = 0;  // the target's part; 0: unknown
  std::string found;              // a sentence
  LineSide side;                  // `begin`: bytes from the beginning of the target's part

  friend bool operator==(const MisuseLine&, const MisuseLine&) = default;
};

// Accesses to a rank's memory that were dropped to stay within the memory limits, before they were
// compared with all others.
struct LossLine {
  std::uint32_t owner = 0;
  std::uint64_t accesses = 0;

  friend bool operator==(const LossLine&, const LossLine&) = default;
};

std::string write_line(const LossLine& line);
std::optional<LossLine> read_loss(std::string_view text);

std::string write_line(const MisuseLine& line);
std::optional<MisuseLine> read_misuse(std::string_view text);

std::string write_line(const RaceLine& line);  // without a line end
std::optional<RaceLine> read_line(std::string_view text);

}  // namespace redflag::pgas
