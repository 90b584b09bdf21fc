// Collector: from what checked processes send to findings on the screen and in a report.
//
// The program that raced stands still until it has its reply, and so does everything of it that
// matters here: /proc/PID/maps is read, program counters become functions and lines, addresses
// become variables. The finding is checked (core/report/fault.h), suppressed, folded with those of the same two places, and
// printed at once, so that a program that crashes a moment later has been reported. finish() gives
// the same findings as a Report for the file formats.
//
// Nothing that arrives is trusted. Bytes that are no race are counted, told once to `complain`, and
// answered so that the program goes on. One Collector serves any number of processes, which may
// come and go; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/model/finding.h"
#include "core/report/fault.h"
#include "core/report/fold.h"
#include "core/report/source_reader.h"
#include "core/report/suppress.h"
#include "core/symbolize/symbolizer.h"
#include "frontends/cpu/collect/unchecked.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::collect {

// kTsan prints a pair of places again when it is reached by other calls, as ThreadSanitizer does.
enum class Format : std::uint8_t { kText, kTsan };

struct CollectorOptions {
  Format format = Format::kText;
  bool colour = false;
  std::string strip_path_prefix;         // kTsan: left out of the names of files
  bool full_thread_history = false;      // kTsan: threads that made the racing ones are shown, too
  Suppressions* suppressions = nullptr;  // not owned; counts its hits; nullptr: none
  SourceReader* sources = nullptr;       // not owned; nullptr: no excerpts
  std::uint64_t most_printed = 0;        // findings; 0: all. More are kept for the report
  // Each finding as text, whole, ending with a line end, as soon as it is known. Empty: no printing.
  std::function<void(std::string_view)> print;
  // In the place of `print`, for whoever wants to know whose finding it is; 0: of several processes.
  std::function<void(std::uint32_t pid, std::string_view)> print_of;
  // What the program itself says about reports (wire.h).
  std::function<void(std::uint32_t pid, wire::About about, std::string_view text)> words;
  // Half a meeting of two threads that were held to bring them together: which side (wire/hold.h) and
  // who. Empty: nobody is held.
  std::function<void(std::uint32_t side, Side who)> met;
  // A finding that contradicts itself (core/report/fault.h), and in which way. Empty: only counted.
  std::function<void(std::uint32_t pid, const Finding&, Fault)> fault;
  // A line about something wrong with a process's messages, without a line end. Empty: silence.
  std::function<void(std::string_view)> complain;
};

class Collector {
 public:
  explicit Collector(CollectorOptions options);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // `bytes`: what follows the MessageHeader. False: this runtime cannot be served (another version
  // of the protocol); complain has been told why, and the connection is best closed.
  bool on_hello(std::uint32_t pid, std::span<const std::byte> bytes);

  // The reply is to be sent as it is. The process must not run on before it has it.
  wire::Reply on_race(std::uint32_t pid, std::span<const std::byte> bytes);

  void on_words(std::uint32_t pid, std::span<const std::byte> bytes);
  wire::Answer on_question(std::uint32_t pid, std::span<const std::byte> bytes);
  // The later stack of a race is printed as ThreadSanitizer prints one.
  wire::Reply on_stack(std::uint32_t pid, std::span<const std::byte> bytes);

  // One of two threads that met; the process waits for the reply as for that of a race.
  wire::Reply on_met(std::uint32_t pid, std::span<const std::byte> bytes);

  // What processes recorded in common (between.h), when all but `pid` (0: all) have ended.
  wire::Reply on_between(std::uint32_t pid, std::span<const std::byte> file);
  // A finding that is whole already, of a frontend that explains its own: as one that was received.
  void on_finding(Finding finding);
  // What such a frontend did not check; the same from several processes counts once.
  void on_unchecked(Unchecked one);

  void on_bye(std::uint32_t pid, std::span<const std::byte> bytes);

  // The connection is gone, with or without a bye before. The process's findings stay.
  void on_closed(std::uint32_t pid);

  // What processes told in their last words, added up; peaks of memory are those of the largest.
  struct Figures {
    std::uint64_t processes = 0;
    std::uint64_t crashed = 0;  // closed without a bye
    std::uint64_t shadow_bytes = 0;
    std::uint64_t history_bytes = 0;
    std::uint64_t slow_accesses = 0;
    std::uint64_t sweeps = 0;
    std::uint64_t sampled_regions = 0;  // by decision, not because all are
    std::uint64_t sampled_checks = 0;
    std::uint64_t unknown_threads = 0;  // the most of one process: a fork inherits them
  };
  const Figures& figures() const { return figures_; }

  void set_format(Format format) { options_.format = format; }
  Format format() const { return options_.format; }
  // How many findings of a process were printed; those of several processes together are 0's.
  const std::map<std::uint32_t, std::uint64_t>& printed() const { return printed_of_; }

  std::uint64_t findings() const { return folder_.size(); }  // distinct, of all processes
  std::uint64_t suppressed() const { return suppressed_; }
  std::uint64_t faults() const { return faults_; }  // findings that contradict themselves

  // The lines that end a run in ThreadSanitizer's format ("ThreadSanitizer: reported 2 warnings");
  // empty in ours, whose summary the caller makes from the report.
  std::string last_words() const;

  // Findings with fingerprints, suppressed and folded, what was not looked at, and stats from
  // figures(). The caller adds command, input, detector and version. Empty afterwards.
  Report finish();

 private:
  struct Process {
    std::set<std::size_t> findings;  // positions in folder_
    bool said_bye = false;
    bool complained = false;
  };
  Process& process(std::uint32_t pid);
  void wrong(std::uint32_t pid, const std::string& what);
  wire::Reply reply(std::uint32_t pid, wire::Verdict verdict);
  // `pid` is answered, `shown` printed.
  wire::Verdict add(std::uint32_t pid, std::uint32_t shown, Finding finding,
                    const Evidence& evidence = {});
  void print(std::uint32_t pid, const Finding& finding);
  void print_text(std::uint32_t pid, const std::string& text);

  CollectorOptions options_;
  symbolize::Symbolizer symbolizer_;
  Folder folder_;
  std::map<std::uint32_t, Process> processes_;
  MappedLibraries libraries_;
  std::vector<Unchecked> unchecked_;  // of on_unchecked()
  Figures figures_;
  std::uint64_t suppressed_ = 0;
  std::uint64_t faults_ = 0;
  std::uint64_t printed_ = 0;
  std::map<std::uint32_t, std::uint64_t> printed_of_;
  std::set<std::string> printed_stacks_;  // kTsan
};

}  // namespace redflag::collect
