// All options, in one table: the parser, REDFLAG_OPTIONS, help, manual and completions derive from
// it.
//
// A row says the name, what its argument looks like, the default, which commands take it and one
// sentence. Adding an option is adding a row and asking for it by name (arguments.h). Two rows may
// share a name when no command takes both.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace redflag::cli {

enum class ValueKind : std::uint8_t {
  kFlag,      // --name, --no-name
  kChoice,    // one of the words in `argument`, separated by |
  kStrategy,  // the same, the words with F or H with a factor from 0 to 1 behind: HA.5
  kDetector,  // a name of kDetectors or gpu::kGpuDetectors
  kNumber,    // decimal, from `least` to `most`
  kBytes,     // a number with an optional K, M or G (powers of 1024), from `least` to `most`
  kFile,
  kFolder,
  kWords,  // anything but nothing
};

struct OptionInfo {
  std::string_view name;
  ValueKind kind;
  std::string_view argument;  // placeholder or choices; empty for flags
  std::string_view fallback;  // the default as text; for flags "yes" or "no"; empty: none
  CommandSet commands;
  std::string_view help;  // one sentence without its end
  bool repeatable = false;
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

namespace option_rows {
using enum Command;
using enum ValueKind;
inline constexpr CommandSet kLive = commands(kRun, kAttend);
inline constexpr CommandSet kReporting = kLive | commands(kReplay, kReport, kConfirm);
inline constexpr CommandSet kOwnPass = commands(kCc, kCxx, kFlags, kMpicc, kMpicxx, kOshcc);
inline constexpr CommandSet kCompiling = kOwnPass | commands(kFortran, kMpifort);
inline constexpr CommandSet kAnyCompiler = kCompiling | commands(kNvcc);
inline constexpr CommandSet kWriting = commands(kTraceConvert, kTraceGenerate);
inline constexpr CommandSet kGenerating = commands(kTraceGenerate);
inline constexpr CommandSet kOfKernels = commands(kRun, kReplay, kDetectorsCompare);

inline constexpr CommandSet kSimulating = commands(kSimParsnip, kSimScord);

inline constexpr auto kRows = std::to_array<OptionInfo>({
    {"on-race", kChoice, "report|abort|stop-in-debugger", "report", kLive,
     "what the program does after a race is reported: goes on, aborts, or stops (SIGSTOP) until a "
     "debugger is attached"},
    {"format", kChoice, "text|tsan", "text", kLive,
     "how races are printed: as Redflag does, or in ThreadSanitizer's words"},
    {"log-path", kFile, "PATH", "", kLive,
     "print races to the file PATH.PID of the process that has them, instead of standard error; "
     "stdout and stderr stand for these"},
    {"record", kFile, "FILE", "", commands(kRun),
     "also write what the program did as a trace (.rft), for 'redflag replay'"},
    {"history", kNumber, "N", "", kLive,
     "how many recent events of each thread are kept to name the earlier access of a race", false,
     16, std::uint64_t{1} << 24},
    {"exit-status", kNumber, "N", "66", kLive, "the exit status when races were reported", false, 0,
     255},
    {"thread-leaks", kFlag, "", "no", kLive,
     "also report threads that are neither joined nor detached; ThreadSanitizer's format: yes"},
    {"lock-misuse", kFlag, "", "yes", kLive,
     "also report locks that are destroyed while held, unlocked twice and the like"},
    {"signal-misuse", kFlag, "", "yes", kLive,
     "also report calls in signal handlers that are not safe there"},
    {"keep-faults", kFolder, "DIR", "", kLive,
     "write findings that contradict themselves, which are faults of Redflag and are not reported, "
     "as JSON reports into this folder"},
    {"force", kFlag, "", "no", commands(kRun),
     "run the program even if it was not built for checking: its children may have been"},
    {"emulate", kFlag, "", "no", commands(kRun),
     "run CUDA kernels on the emulated GPU; without this only where there is no GPU"},
    {"sample", kStrategy, "none|NL|I|F|H|IA|FA|HA", "none", commands(kRun),
     "check only some of the program: by instruction, function or both, with A less of what is the "
     "thread's own (needs redflag c++ --sampling), NL: no local accesses, only a job's one-sided "
     "operations; F, H, FA and HA may have the functions' factor behind them, such as HA.5"},
    {"function-backoff", kWords, "FACTOR", "0.5", commands(kRun),
     "--sample=F, H: the chance of a function is multiplied by this each time it is sampled, 0 to "
     "1"},
    {"instruction-backoff", kWords, "FACTOR", "0.9", commands(kRun),
     "--sample=I, H: the same for each access"},
    {"budget", kWords, "FACTOR", "", commands(kRun),
     "check as much as keeps the slowdown under this, such as 1.2x (needs redflag c++ "
     "--sampling)"},
    {"predict", kFlag, "", "no", commands(kRun),
     "one-sided programs: also report what another run may race on: accesses that are ordered in "
     "this one only by who took a lock first"},
    {"seed", kNumber, "N", "0", commands(kRun, kDetectorsCompare),
     "CUDA: which schedule of blocks, warps and diverged lanes; 0: each in its order. On a GPU: "
     "which warps are held back for a moment, and where; 0: none"},
    {"schedules", kNumber, "N", "1", commands(kRun),
     "CUDA: run the program so many times, with the seeds from --seed on and the same input", false,
     1, 100000},
    {"timeout", kNumber, "SECONDS", "0", commands(kRun, kDetectorsCompare),
     "CUDA: end a kernel that runs longer, and say where its blocks stand; 0: never", false, 0,
     1000000},
    {"strict", kChoice, "cuda|ptx", "cuda", commands(kRun, kReplay),
     "CUDA: what counts as synchronisation: common practice, or the PTX memory model to the "
     "letter"},
    {"lockstep", kFlag, "", "no", commands(kRun, kReplay),
     "CUDA: as before Volta: the lanes of a warp never part for longer than a branch, and need no "
     "__syncwarp()"},
    {"runs", kNumber, "N", "20", commands(kConfirm),
     "how often each race is tried, unless it is confirmed before", false, 1, 10000},
    {"hold", kNumber, "MILLISECONDS", "40", commands(kConfirm),
     "how long a thread is held back at first; later runs hold up to 16 times as long", false, 1,
     10000},
    {"timeout", kNumber, "SECONDS", "0", commands(kConfirm),
     "kill the program when a run takes longer; 0: never", false, 0, 1000000},
    {"schedule", kFile, "FILE", "", commands(kConfirm),
     "write what was done in the runs that confirmed races, for --replay"},
    {"replay", kFile, "FILE", "", commands(kConfirm),
     "make only the runs of this file, one for each race in it"},
    {"compiler", kWords, "COMMAND", "", kAnyCompiler,
     "the compiler to call, as a name, a path, or several words such as 'ccache g++-12'"},
    {"shared-runtime", kFlag, "", "no", kCompiling,
     "link libredflag.so instead of libredflag.a; the program then finds it where it is now"},
    {"own-pass", kFlag, "", "yes", kOwnPass,
     "instrument by libredflag-pass.so, where the compiler is clang 19; no: by the compiler's own "
     "-fsanitize=thread"},
    {"sampling", kFlag, "", "no", kOwnPass,
     "also compile each function without checks, for 'redflag run --sample' and --budget (clang "
     "19)"},
    {"count-instructions", kFlag, "", "no", kOwnPass,
     "compile for traces that simulators replay: the program counts its instructions, and 'redflag "
     "run --record' sees every access (clang 19)"},
    {"static", kFlag, "", "no", commands(kFlags),
     "the flags for programs that are linked with -static (-static-pie: the same, with that word)"},
    {"fd", kNumber, "N", "", commands(kAttend), "the connection to the process", false, 0,
     std::uint64_t{1} << 30},
    {"detector", kDetector, "NAME", "slimfast", commands(kRun, kReplay),
     "which detector to run; 'redflag detectors' lists them; of GPU kernels the default is "
     "ptx_model, and 'redflag run' chooses for those only"},
    {"granularity", kChoice, "4|8|16", "4", kOfKernels,
     "scord, iguard: bytes of memory that have one entry of metadata"},
    {"accessors", kChoice, "1|2|4|8", "1", kOfKernels,
     "iguard: how many accessors of a place are kept"},
    {"metadata-cache", kFlag, "", "yes", kOfKernels,
     "scord: one entry of metadata for sixteen places; no: one for each"},
    {"rules", kFlag, "", "no", commands(kDetectorsCompare),
     "also print how often each rule of each detector decided"},
    {"eager", kFlag, "", "no", kOfKernels,
     "curd: compare blocks at each barrier; no: at the end of the kernel"},
    {"jobs", kNumber, "N", "1", commands(kReplay),
     "worker threads, each for its share of the addresses; 0: one for each processor", false, 0,
     256},
    {"roots", kChoice, "forked|any", "", commands(kReplay, kTraceCheck),
     "whether threads may appear that no thread forked; the default is any for STD traces, forked "
     "for others"},
    {"volatile", kChoice, "data|sync", "data", commands(kReplay),
     "whether volatile accesses are data, as in C and C++, or synchronise, as in Java"},
    {"check", kFlag, "", "no", commands(kReplay),
     "check the trace as 'redflag trace check' does, and refuse to report on an ill-formed one"},
    {"stats", kFlag, "", "no", kLive | commands(kReplay),
     "print the detector's figures, time and memory, and put them into the report"},
    {"json", kFile, "FILE", "", kReporting,
     "write the report as JSON: everything, to keep, compare or convert later"},
    {"sarif", kFile, "FILE", "", kReporting,
     "write the report as SARIF 2.1.0, for code hosts and editors"},
    {"junit", kFile, "FILE", "", kReporting, "write the report as JUnit XML, for build servers"},
    {"html", kFile, "FILE", "", kReporting, "write the report as one HTML page to browse"},
    {"json", kFile, "FILE", "", commands(kDetectorsCompare),
     "write the comparison as JSON; - is standard output, in place of the table"},
    {"html", kFile, "FILE", "", commands(kDetectorsCompare),
     "write the comparison as one HTML page"},
    {"config", kFile, "FILE", "", kSimulating,
     "parameters of the machine and of the model, lines of 'name = value'"},
    {"set", kWords, "NAME=VALUE", "", kSimulating, "one parameter, over those of --config", true},
    {"parameters", kFlag, "", "no", kSimulating,
     "print all parameters with their values, as a file for --config, and end"},
    {"figures", kWords, "LIST", "", kSimulating,
     "which of the paper's figures, such as 7,9,table-3; the default is all of them"},
    {"sweep", kWords, "NAME=VALUE,...", "", kSimulating,
     "instead of figures: simulate every combination of the values of all --sweep", true},
    {"results", kFolder, "DIR", "", kSimulating,
     "keep each simulation's result there, and take from there what was done before"},
    {"jobs", kNumber, "N", "0", kSimulating,
     "how many simulations at a time, each in a process; 0: one for each processor", false, 0, 256},
    {"html", kFile, "FILE", "", kSimulating, "write figures and parameters as one HTML page"},
    {"svg", kFolder, "DIR", "", kSimulating, "write each figure as a picture into this folder"},
    {"csv", kFile, "FILE", "", kSimulating, "write every number of every simulation"},
    {"suppressions", kFile, "FILE", "", kReporting,
     "leave out races that this file names, in ThreadSanitizer's syntax", true},
    {"baseline", kFile, "FILE", "", kReporting,
     "an earlier JSON report: its races are known, and only new ones set the exit status"},
    {"max-findings", kNumber, "N", "50", kReporting,
     "how many findings to print; 0: all of them; files always hold all"},
    {"excerpts", kFlag, "", "yes", kReporting, "show the source lines, where the files are here"},
    {"source-root", kFolder, "DIR", "", kReporting, "also look for source files below this folder",
     true},
    {"color", kChoice, "auto|always|never", "auto", kReporting,
     "colour the text; auto: on a terminal, unless NO_COLOR is set"},
    {"quiet", kFlag, "", "no", kReporting | kWriting | kSimulating | commands(kTraceCheck),
     "print nothing but errors: files and the exit status hold the result"},
    {"format", kChoice, "rft|text", "", kWriting, "the format to write; the default is by suffix"},
    {"profile", kChoice, "high-redundancy|low-redundancy|random", "high-redundancy", kGenerating,
     "the character of the trace: array sweeps, a hash table under fine locks, or random programs"},
    {"events", kNumber, "N", "1000000", kGenerating, "about how many events", false, 1},
    {"threads", kNumber, "N", "8", kGenerating,
     "how many threads, besides the main one; random: at most so many at a time", false, 1, 4096},
    {"seed", kNumber, "N", "1", kGenerating, "the same seed gives the same trace"},
    {"working-set", kBytes, "BYTES", "16M", kGenerating,
     "bytes of data that the threads use, with K, M or G; random: ignored", false, 4096,
     std::uint64_t{1} << 32},
    {"dump", kFlag, "", "no", commands(kPtx),
     "print the PTX as Redflag reads it, instead of the list"},
    {"cfg", kWords, "KERNEL", "", commands(kPtx),
     "print the control flow graph of this kernel or function, with post-dominators"},
    {"rewrite", kFlag, "", "no", commands(kPtx),
     "print the PTX with the hooks that 'redflag run' puts into kernels on a GPU "
     "(docs/how/rewrite.md)"},
    {"runtime", kWords, "FILE", "", commands(kPtx),
     "with --rewrite: PTX that defines the hooks, to merge in; without it they are only declared"},
    {"proof", kFlag, "", "no", commands(kPtx),
     "say which version a launch of each kernel would get on a GPU, and why what may race is not "
     "proven (docs/how/prove.md)"},
    {"kernel", kWords, "NAME", "", commands(kPtx), "with --proof: of this kernel alone"},
    {"grid", kWords, "X,Y,Z", "", commands(kPtx),
     "with --proof: blocks of the launch; the default is as in most"},
    {"block", kWords, "X,Y,Z", "", commands(kPtx), "with --proof: threads of a block, the same"},
    {"param", kWords, "N=VALUE|buffer|same:N", "", commands(kPtx),
     "with --proof: what parameter N, from 0, is: a number, a pointer to memory that no other "
     "leads "
     "into, or as another one",
     true},
    {"markdown", kFlag, "", "no", commands(kManual), "print docs/user/options.md instead"},
    {"help", kFlag, "", "no", kEveryCommand, "explain the command and its options"},
});
}  // namespace option_rows

inline constexpr auto& kOptions = option_rows::kRows;

const OptionInfo* find_option(std::string_view name);  // the first of the name; nullptr: no such
// The one of this name that the command takes, else the first.
const OptionInfo* find_option(std::string_view name, Command command);
// Taken by hidden commands only: left out of lists.
bool is_hidden(const OptionInfo& option);
// What a choice or a detector may be; empty for other kinds.
std::vector<std::string> choices(const OptionInfo& option);
// Whether `value` will do, as a message that says what was expected; empty: it will.
std::string value_fault(const OptionInfo& option, std::string_view value);

// Numbers as the options take them; the text must have passed value_fault.
std::uint64_t to_number(const OptionInfo& option, std::string_view value);
bool to_flag(std::string_view value);
// Digits with at most one point among them; nothing: it is no such number.
std::optional<double> to_decimal(std::string_view text);
// The two parts of a kStrategy, "HA" and ".5".
std::string_view strategy_of(std::string_view value);
std::string_view factor_of(std::string_view value);

// "--json=FILE", "--[no-]excerpts", "--roots=forked|any"
std::string option_usage(const OptionInfo& option);

}  // namespace redflag::cli
