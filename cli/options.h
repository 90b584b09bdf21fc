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
     "how races are printed: in Redflag's form, or in ThreadSanitizer's"},
    {"log-path", kFile, "PATH", "", kLive,
     "print races to the file PATH.PID, with the number of the process that has them, instead of "
     "standard error; the words stdout and stderr name these streams"},
    {"record", kFile, "FILE", "", commands(kRun),
     "also record the run as a trace (.rft), for 'redflag replay'"},
    {"history", kNumber, "N", "", kLive,
     "how many recent events of each thread are kept, from which the report names the earlier "
     "access of a race",
     false, 16, std::uint64_t{1} << 24},
    {"exit-status", kNumber, "N", "66", kLive, "the exit status when races were reported", false, 0,
     255},
    {"thread-leaks", kFlag, "", "no", kLive,
     "also report threads that are neither joined nor detached; ThreadSanitizer's format: yes"},
    {"lock-misuse", kFlag, "", "yes", kLive,
     "also report misuse of locks, such as destroying a held lock or unlocking twice"},
    {"signal-misuse", kFlag, "", "yes", kLive,
     "also report calls in signal handlers that are not async-signal-safe"},
    {"keep-faults", kFolder, "DIR", "", kLive,
     "write findings that contradict themselves as JSON reports into this folder; they are faults "
     "of Redflag and are not reported"},
    {"force", kFlag, "", "no", commands(kRun),
     "run the program even if it was not built for checking, since the processes that it starts "
     "may be"},
    {"emulate", kFlag, "", "no", commands(kRun),
     "run CUDA kernels on the emulated GPU; the default is the GPU, and the emulated one where "
     "there is none"},
    {"sample", kStrategy, "none|NL|I|F|H|IA|FA|HA", "none", commands(kRun),
     "check only a sample of the accesses: I by instruction, F by function, H by both; IA, FA, HA: "
     "and fewer of memory that one thread uses (these need redflag c++ --sampling); NL: no loads "
     "and stores, only a job's one-sided operations. F, H, FA and HA accept the factor of "
     "--function-backoff as a suffix, such as HA.5"},
    {"function-backoff", kWords, "FACTOR", "0.5", commands(kRun),
     "--sample=F, H: each time a function is sampled, its probability is multiplied by this "
     "factor, 0 to 1"},
    {"instruction-backoff", kWords, "FACTOR", "0.9", commands(kRun),
     "--sample=I, H: the same for each access"},
    {"budget", kWords, "FACTOR", "", commands(kRun),
     "check as much as this slowdown allows, such as 1.2x (needs redflag c++ --sampling)"},
    {"predict", kFlag, "", "no", commands(kRun),
     "one-sided programs: also report accesses that may race in another run, because in this run "
     "only the order of a lock separates them"},
    {"seed", kNumber, "N", "0", commands(kRun, kDetectorsCompare),
     "CUDA: the schedule of blocks, warps and diverged lanes; 0: in the order of their numbers. On "
     "a GPU: the choice of warps that are delayed, and where; 0: none"},
    {"schedules", kNumber, "N", "1", commands(kRun),
     "CUDA: run the program N times on the same input, with N seeds from --seed on", false, 1,
     100000},
    {"timeout", kNumber, "SECONDS", "0", commands(kRun, kDetectorsCompare),
     "CUDA: stop a kernel that runs longer, and report where its blocks are; 0: never", false, 0,
     1000000},
    {"strict", kChoice, "cuda|ptx", "cuda", commands(kRun, kReplay),
     "CUDA: the rules of synchronisation: those of common practice, or those of the PTX memory "
     "model only"},
    {"lockstep", kFlag, "", "no", commands(kRun, kReplay),
     "CUDA: assume a GPU before Volta, whose warps run in lockstep: lanes meet again after each "
     "branch, without __syncwarp()"},
    {"runs", kNumber, "N", "20", commands(kConfirm),
     "the most runs for each race; a confirmed race is not tried again", false, 1, 10000},
    {"hold", kNumber, "MILLISECONDS", "40", commands(kConfirm),
     "how long a thread is held in the first run; later runs hold up to 16 times as long", false, 1,
     10000},
    {"timeout", kNumber, "SECONDS", "0", commands(kConfirm),
     "kill the program when a run takes longer; 0: never", false, 0, 1000000},
    {"schedule", kFile, "FILE", "", commands(kConfirm),
     "write the schedules of the runs that confirmed races, for --replay"},
    {"replay", kFile, "FILE", "", commands(kConfirm),
     "repeat only the runs of this file, one for each race in it"},
    {"compiler", kWords, "COMMAND", "", kAnyCompiler,
     "the compiler to call, as a name, a path, or several words such as 'ccache g++-12'"},
    {"shared-runtime", kFlag, "", "no", kCompiling,
     "link libredflag.so, at its present path, instead of libredflag.a"},
    {"own-pass", kFlag, "", "yes", kOwnPass,
     "instrument with libredflag-pass.so, where the compiler is clang 19; no: with the compiler's "
     "own -fsanitize=thread"},
    {"sampling", kFlag, "", "no", kOwnPass,
     "also compile a version of each function without checks, for 'redflag run --sample' and "
     "--budget (clang 19)"},
    {"count-instructions", kFlag, "", "no", kOwnPass,
     "compile for traces that simulators replay: the program counts its instructions, and 'redflag "
     "run --record' sees every access (clang 19)"},
    {"static", kFlag, "", "no", commands(kFlags),
     "the flags for programs that are linked with -static (or -static-pie in its place)"},
    {"fd", kNumber, "N", "", commands(kAttend), "the connection to the process", false, 0,
     std::uint64_t{1} << 30},
    {"detector", kDetector, "NAME", "slimfast", commands(kRun, kReplay),
     "the detector; 'redflag detectors' lists them. For GPU kernels the default is ptx_model, on a "
     "GPU compact; 'redflag run' uses the option for kernels only"},
    {"granularity", kChoice, "4|8|16", "4", kOfKernels,
     "scord, iguard: bytes of memory for each entry of metadata"},
    {"accessors", kChoice, "1|2|4|8", "1", kOfKernels,
     "iguard: how many accessors of each memory location are kept"},
    {"metadata-cache", kFlag, "", "yes", kOfKernels,
     "scord: sixteen memory locations share one entry of metadata; no: each has its own"},
    {"rules", kFlag, "", "no", commands(kDetectorsCompare),
     "also print how often each rule of each detector was applied"},
    {"eager", kFlag, "", "no", kOfKernels,
     "curd: compare blocks at each barrier; no: at the end of the kernel"},
    {"jobs", kNumber, "N", "1", commands(kReplay),
     "worker threads, each for a part of the addresses; 0: one for each processor", false, 0, 256},
    {"roots", kChoice, "forked|any", "", commands(kReplay, kTraceCheck),
     "whether a thread may begin without a fork event; the default is any for STD traces, forked "
     "for others"},
    {"volatile", kChoice, "data|sync", "data", commands(kReplay),
     "whether volatile accesses are data, as in C and C++, or synchronise, as in Java"},
    {"check", kFlag, "", "no", commands(kReplay),
     "check the trace as 'redflag trace check' does, and report nothing on an ill-formed trace"},
    {"stats", kFlag, "", "no", kLive | commands(kReplay),
     "print the detector's statistics, time and memory, and add them to the report"},
    {"json", kFile, "FILE", "", kReporting,
     "write the complete report as JSON, to keep, compare or convert"},
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
     "print all parameters with their values, as a file for --config, and exit"},
    {"figures", kWords, "LIST", "", kSimulating,
     "which of the paper's figures, such as 7,9,table-3; the default is all of them"},
    {"sweep", kWords, "NAME=VALUE,...", "", kSimulating,
     "instead of figures: simulate every combination of the values of all --sweep", true},
    {"results", kFolder, "DIR", "", kSimulating,
     "keep the result of each simulation in this folder, and use the results that are there"},
    {"jobs", kNumber, "N", "0", kSimulating,
     "how many simulations at a time, each in a process; 0: one for each processor", false, 0, 256},
    {"html", kFile, "FILE", "", kSimulating, "write figures and parameters as one HTML page"},
    {"svg", kFolder, "DIR", "", kSimulating, "write each figure as a picture into this folder"},
    {"csv", kFile, "FILE", "", kSimulating, "write every number of every simulation"},
    {"suppressions", kFile, "FILE", "", kReporting,
     "leave out the races that this file names, in ThreadSanitizer's syntax", true},
    {"baseline", kFile, "FILE", "", kReporting,
     "an earlier JSON report: its races are known, and only new ones set the exit status"},
    {"max-findings", kNumber, "N", "50", kReporting,
     "how many findings to print; 0: all of them; files always hold all"},
    {"excerpts", kFlag, "", "yes", kReporting,
     "show source lines, where the source files can be read"},
    {"source-root", kFolder, "DIR", "", kReporting, "also look for source files below this folder",
     true},
    {"color", kChoice, "auto|always|never", "auto", kReporting,
     "colour the text; auto: only on a terminal, and not if NO_COLOR is set"},
    {"quiet", kFlag, "", "no", kReporting | kWriting | kSimulating | commands(kTraceCheck),
     "print errors only; the result is in the files and the exit status"},
    {"format", kChoice, "rft|text", "", kWriting,
     "the format to write; the default follows from the suffix"},
    {"profile", kChoice, "high-redundancy|low-redundancy|random", "high-redundancy", kGenerating,
     "the kind of trace: array sweeps, a hash table with fine-grained locks, or random programs"},
    {"events", kNumber, "N", "1000000", kGenerating, "the approximate number of events", false, 1},
    {"threads", kNumber, "N", "8", kGenerating,
     "the number of threads besides the main one; random: at most so many at a time", false, 1,
     4096},
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
     "print which version a launch of each kernel gets on a GPU, and why accesses that may race "
     "have no proof (docs/how/prove.md)"},
    {"kernel", kWords, "NAME", "", commands(kPtx), "with --proof: only this kernel"},
    {"grid", kWords, "X,Y,Z", "", commands(kPtx),
     "with --proof: the blocks of the launch; the default is a typical launch"},
    {"block", kWords, "X,Y,Z", "", commands(kPtx),
     "with --proof: the threads of a block; the same default"},
    {"param", kWords, "N=VALUE|buffer|same:N", "", commands(kPtx),
     "with --proof: the value of parameter N, from 0: a number, a pointer to memory of its own, or "
     "the value of another parameter",
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
