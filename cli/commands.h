// All commands, in one table: the parser, help, the manual and the completions derive from it.
//
// To add a command: a row here, a file cli/<command>.cpp with `Status run_<command>(const
// Arguments&)`, and its line in dispatch.cpp. Options are rows of options.h. A name of two words
// ("trace info") is a command of a group; the group's first word alone shows the group.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace redflag::cli {

enum class Command : std::uint8_t {
  kRun,
  kCc,
  kCxx,
  kFortran,
  kNvcc,
  kMpicc,
  kMpicxx,
  kMpifort,
  kOshcc,
  kFlags,
  kReplay,
  kReport,
  kConfirm,
  kTraceInfo,
  kTraceConvert,
  kTraceGenerate,
  kTraceCheck,
  kPtx,
  kDetectors,
  kDetectorsCompare,
  kSimParsnip,
  kSimScord,
  kDoctor,
  kCompletion,
  kHelp,
  kVersion,
  kManual,
  kAttend,
};
inline constexpr int kCommandCount = 28;

// How a command's words are read.
enum class Style : std::uint8_t {
  kMixed,     // options and operands in any order
  kProgram,   // options, then another program with words of its own
  kCompiler,  // its few options first; from the first word that is none of them, all is passed on
};

struct CommandInfo {
  Command id;
  std::string_view name;
  std::string_view operands;  // as in the usage line
  int least_operands;
  int most_operands;
  std::string_view summary;      // half a line
  std::string_view description;  // a paragraph for help and manual
  std::string_view example;      // a command to paste, may be empty
  bool hidden = false;           // left out of lists
  Style style = Style::kMixed;
};

inline constexpr int kAnyNumber = 1 << 30;  // of operands

inline constexpr std::array<CommandInfo, kCommandCount> kCommands{{
    {Command::kRun, "run", "[--] PROGRAM [ARGS...]", 1, kAnyNumber, "check a program while it runs",
     "Runs a program that was built for checking ('redflag c++', 'redflag nvcc', or see "
     "docs/user/threads.md) and reports the races of all its processes as they occur. Kernels of "
     "CUDA programs run on the GPU, or on the emulated GPU where there is none. Files are written "
     "even if the program crashes. Exit "
     "status: the program's own when it is clean (128 and the signal's number "
     "if "
     "a signal ended it), 66 when races were reported.",
     "redflag run --html=report.html -- ./server --port=8080", false, Style::kProgram},
    {Command::kCc, "cc", "ARGS...", 0, kAnyNumber, "compile or link C for checking",
     "Calls the C compiler with ARGS and the flags for checking: instrumentation and debug "
     "information when it compiles, libredflag when it links a program. The compiler is clang-19 "
     "if "
     "it is installed, else gcc; REDFLAG_CC or --compiler choose another. Options of Redflag come "
     "first; everything else goes to the compiler. Also installed as redflag-cc, for build systems "
     "that need a single word.",
     "redflag cc -O1 main.c -o main", false, Style::kCompiler},
    {Command::kCxx, "c++", "ARGS...", 0, kAnyNumber, "compile or link C++ for checking",
     "As 'redflag cc', with the C++ compiler: clang++-19 if it is installed, else g++; REDFLAG_CXX "
     "or --compiler choose another. Also installed as redflag-c++.",
     "make CXX='redflag c++' CC='redflag cc'", false, Style::kCompiler},
    {Command::kFortran, "fortran", "ARGS...", 0, kAnyNumber, "compile or link Fortran for checking",
     "As 'redflag cc', with gfortran and its own -fsanitize=thread; REDFLAG_FORTRAN or --compiler "
     "choose another Fortran compiler of gcc. Also installed as redflag-fortran.",
     "redflag fortran -fopenmp main.f90 -o main", false, Style::kCompiler},
    {Command::kNvcc, "nvcc", "ARGS...", 0, kAnyNumber, "compile or link CUDA for checking",
     "Calls nvcc with ARGS and the flags that the emulated GPU needs: -cudart shared, -lineinfo, "
     "-g, and flags for PTX where ARGS would embed none. 'redflag run' then finds the races of the "
     "program's kernels, with or without a GPU. nvcc is searched on PATH, in CUDA_HOME and "
     "CUDA_PATH; "
     "REDFLAG_NVCC or --compiler choose another. Where there is no nvcc, clang++-19 takes the same "
     "options and compiles with Redflag's own CUDA headers; --compiler=clang++-19 does so always. "
     "Also "
     "installed as redflag-nvcc.",
     "redflag nvcc -O2 app.cu -o app && redflag run -- ./app", false, Style::kCompiler},
    {Command::kMpicc, "mpicc", "ARGS...", 0, kAnyNumber, "compile or link an MPI program in C",
     "Calls MPI's own compiler wrapper with ARGS, and lets it call 'redflag cc'. The program then "
     "runs under the launcher as mpirun -n 4 redflag run -- ./app, which finds races between "
     "one-sided operations, the ranks' own loads and stores, and their threads. The wrapper is "
     "mpicc on PATH; REDFLAG_MPICC or --compiler choose another, of Open MPI or MPICH. Also "
     "installed as redflag-mpicc.",
     "redflag mpicc app.c -o app && mpirun -n 4 redflag run -- ./app", false, Style::kCompiler},
    {Command::kMpicxx, "mpicxx", "ARGS...", 0, kAnyNumber, "compile or link an MPI program in C++",
     "As 'redflag mpicc', for C++: mpicxx on PATH, REDFLAG_MPICXX or --compiler. Also installed as "
     "redflag-mpicxx.",
     "make CXX='redflag mpicxx'", false, Style::kCompiler},
    {Command::kMpifort, "mpifort", "ARGS...", 0, kAnyNumber,
     "compile or link an MPI program in Fortran",
     "As 'redflag mpicc', for Fortran by mpif.h, the module mpi or mpi_f08: mpifort on PATH, "
     "REDFLAG_MPIFORT or --compiler, with gfortran. Also installed as redflag-mpifort.",
     "redflag mpifort app.f90 -o app && mpirun -n 4 redflag run -- ./app", false, Style::kCompiler},
    {Command::kOshcc, "oshcc", "ARGS...", 0, kAnyNumber,
     "compile or link an OpenSHMEM program in C",
     "As 'redflag mpicc', for programs of OpenSHMEM: oshcc on PATH (Open MPI's), REDFLAG_OSHCC or "
     "--compiler. Also installed as redflag-oshcc.",
     "redflag oshcc app.c -o app && oshrun -n 4 redflag run -- ./app", false, Style::kCompiler},
    {Command::kFlags, "flags", "cc|c++|ld|nvcc", 1, 1, "print the plain compiler flags",
     "Prints the flags that 'redflag cc' and 'redflag c++' add when they compile (cc, c++) or link "
     "a program (ld), and those of 'redflag nvcc', for makefiles that want to call the compiler "
     "themselves. Shared libraries need only the compile flags, also at their link. The flags for "
     "nvcc do not embed PTX: add -gencode flags for it, which 'redflag nvcc' does by itself.",
     "c++ -c main.cpp $(redflag flags c++ --compiler=c++)"},
    {Command::kReplay, "replay", "FILE", 1, 1, "find the races in a recorded trace",
     "Reads a trace (.rft, text or STD, recognised by its content; - is standard input), runs a "
     "detector on it, and reports and explains every race. Under mpirun the ranks "
     "share the addresses among them, and rank 0 reports.",
     "redflag replay --html=report.html run.rft"},
    {Command::kReport, "report", "FILE.json", 1, 1, "show or convert a report",
     "Reads a JSON report, shows it as text and writes it in other formats. Suppressions and a "
     "baseline apply as they do in replay, and so does the exit status.",
     "redflag report report.json --html=report.html"},
    {Command::kConfirm, "confirm", "REPORT.json -- PROGRAM [ARGS...]", 2, kAnyNumber,
     "run again to see which reported races are real",
     "Runs the program again, up to --runs times for each race of the report. A thread that "
     "reaches "
     "one of the two statements is held back for a moment, until another one is about to do the "
     "other on the same memory. A race is 'confirmed' when that happened, with the stacks of both "
     "threads, else 'not reproduced'. Also accepts the predictions of 'redflag replay "
     "--detector=lockset', not all of which can happen. For a job of MPI or OpenSHMEM, PROGRAM is "
     "the whole command with the launcher: operations are held back and deferred, too. Exit "
     "status: 66 when a race was confirmed, "
     "0 "
     "when none was; the program's own exit status does not matter.",
     "redflag confirm report.json --html=verdicts.html -- ./server --port=8080"},
    {Command::kTraceInfo, "trace info", "FILE", 1, 1, "show what is in a trace",
     "Reads a whole trace and prints its format and its numbers of events, threads, locks and "
     "sources.",
     "redflag trace info run.rft"},
    {Command::kTraceConvert, "trace convert", "IN OUT", 2, 2, "write a trace in another format",
     "Copies a trace of any format to .rft or text. The format is that of OUT's suffix (.rft; "
     ".txt, .text or .trace) unless --format names another; OUT - is standard output.",
     "redflag trace convert run.std run.rft"},
    {Command::kTraceGenerate, "trace generate", "OUT", 1, 1, "make a synthetic trace",
     "Writes a long synthetic trace, for benchmarks and for trying tools; the same options give "
     "the same trace on every machine. The profiles high-redundancy and low-redundancy are free "
     "of races; random is many small random programs one after the other, most of them racy.",
     "redflag trace generate big.rft --profile=low-redundancy --events=10000000"},
    {Command::kTraceCheck, "trace check", "FILE", 1, 1, "check that a trace is well-formed",
     "Checks every event against the rules of a possible run (locks released by their holder, "
     "threads acting between fork and join, and so on) and prints each problem with the number of "
     "its event. Exit status 2 when there are errors.",
     "redflag trace check run.rft"},
    {Command::kPtx, "ptx", "FILE", 1, 1, "show the GPU code in a file",
     "Looks for PTX in a program, library, object, archive, fat binary or PTX text, and lists its "
     "kernels with their resources. Where there is no PTX, it lists what the file has instead, and "
     "says how to embed PTX. Notes name instructions that this version does not support. With "
     "--proof: why a kernel "
     "is slow under 'redflag run' on a GPU.",
     "redflag ptx ./app --proof --kernel=my_kernel"},
    {Command::kDetectors, "detectors", "", 0, 0, "list the detectors",
     "Lists the values of --detector.", ""},
    {Command::kDetectorsCompare, "detectors compare", "TRACE | [--] PROGRAM [ARGS...]", 1,
     kAnyNumber, "run all GPU detectors on the same kernels",
     "Runs a CUDA program once on the emulated GPU, or reads a trace of GPU kernels, and gives the "
     "events to every detector of GPU kernels. Prints a table of pairs of source lines with the "
     "detectors that found them, then the differences from ptx_model with the documented limit "
     "that explains each (docs/how/gpu-detectors.md), then the time and metadata of each detector. "
     "Exit status: 66 when ptx_model "
     "found "
     "races.",
     "redflag detectors compare --rules -- ./app", false, Style::kProgram},
    {Command::kSimParsnip, "sim parsnip", "TRACE... | -- PROGRAM [ARGS...]", 0, kAnyNumber,
     "simulate race detection by PARSNIP's hardware",
     "Simulates processors with and without the hardware of the PARSNIP paper on recorded traces "
     "of "
     "threads, or on a program that is run and recorded first, and prints the paper's figures: "
     "slowdown, how checks are resolved, where time is spent. Each trace is a workload, named "
     "after its file up to the first dot. Compile with 'redflag c++ --count-instructions' for "
     "cycles per "
     "instruction. "
     "docs/how/sim.md explains parameters and figures.",
     "redflag sim parsnip --html=figures.html fft.rft radix.rft"},
    {Command::kSimScord, "sim scord", "TRACE... | -- PROGRAM [ARGS...]", 0, kAnyNumber,
     "simulate race detection by ScoRD's hardware",
     "Simulates a GPU with and without the hardware of the ScoRD paper on recorded traces of CUDA "
     "kernels, or on a program that is run on the emulated GPU and recorded first, and prints the "
     "paper's figures. docs/how/sim.md explains parameters and figures.",
     "redflag sim scord --figures=8,9 reduction.rft"},
    {Command::kDoctor, "doctor", "", 0, 0, "check what this machine can do",
     "Lists the compilers, libraries and devices that Redflag can use on this machine, their "
     "purpose, and the command that installs a missing one. Also tries every precise detector on a "
     "small built-in trace.",
     ""},
    {Command::kCompletion, "completion", "bash|zsh|fish", 1, 1, "print a shell completion script",
     "Prints a script for the shell that completes commands and options.",
     "eval \"$(redflag completion bash)\""},
    {Command::kHelp, "help", "[COMMAND]", 0, 2, "explain a command",
     "Without COMMAND lists all commands; 'redflag help tsan-options' lists the flags of "
     "TSAN_OPTIONS.",
     "redflag help replay"},
    {Command::kVersion, "version", "", 0, 0, "print the version", "Also as --version.", "", true},
    {Command::kManual, "man", "", 0, 0, "print the manual page",
     "Prints the manual page as man(7) source; also as --man.", "", true},
    {Command::kAttend, "attend", "", 0, 0, "report on one process",
     "Started by libredflag at the first race of a program that runs without 'redflag run'. Its "
     "options come from REDFLAG_OPTIONS.",
     "", true},
}};

constexpr const CommandInfo& info(Command command) {
  return kCommands[static_cast<std::size_t>(command)];
}

// A set of commands, for the options table.
using CommandSet = std::uint32_t;
template <typename... Commands>
constexpr CommandSet commands(Commands... each) {
  return ((CommandSet{1} << static_cast<unsigned>(each)) | ...);
}
constexpr bool contains(CommandSet set, Command command) {
  return (set >> static_cast<unsigned>(command) & 1) != 0;
}
inline constexpr CommandSet kEveryCommand = (CommandSet{1} << kCommandCount) - 1;

consteval bool commands_in_order() {
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    if (static_cast<std::size_t>(kCommands[i].id) != i) return false;
  }
  return true;
}
static_assert(commands_in_order());

}  // namespace redflag::cli
