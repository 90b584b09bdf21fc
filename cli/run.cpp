// redflag run: a program under our eyes, from the look at its file to its exit status.
//
// What can be known to fail is known before the program starts: the file, how it was built, every
// output. Then this process listens to the program and to all processes it starts, until the last
// one that was checked has gone, writes the files, and ends as the program did, or with 66. CUDA
// programs get our library in front of NVIDIA's (cuda.h), and may be run several times.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/checked_program.h"
#include "cli/console.h"
#include "cli/cuda.h"
#include "cli/gpu.h"
#include "cli/held_job.h"
#include "cli/job_reports.h"
#include "cli/launch.h"
#include "cli/live.h"
#include "cli/mpi_run.h"
#include "cli/probe.h"
#include "cli/recording.h"
#include "cli/rewind.h"
#include "cli/run.h"
#include "cli/runtime_files.h"
#include "cli/sampling.h"
#include "cli/toolchain.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/registry.h"
#include "core/report/json.h"
#include "core/report/words.h"
#include "frontends/cpu/wire/between.h"

namespace redflag::cli {
namespace {

// Options that the runtime in the program heeds.
constexpr std::array kHandedOn{
    std::string_view("on-race"),       std::string_view("history"),
    std::string_view("exit-status"),   std::string_view("format"),
    std::string_view("thread-leaks"),  std::string_view("lock-misuse"),
    std::string_view("signal-misuse"), std::string_view("timeout"),
    std::string_view("strict"),        std::string_view("lockstep"),
    std::string_view("sample"),        std::string_view("function-backoff"),
    std::string_view("budget"),        std::string_view("instruction-backoff"),
    std::string_view("detector"),      std::string_view("granularity"),
    std::string_view("accessors"),     std::string_view("metadata-cache"),
    std::string_view("eager"),
};
constexpr std::string_view kDetectorInGpu = "compact";
constexpr int kCudaLookMilliseconds = 300;  // between two looks at what kernels were found to do

class Run {
 public:
  explicit Run(const Arguments& arguments) : arguments_(arguments) {}

  Status go() {
    if (Result<void> done = look_at_sampling(arguments_); !done)
      return bad_input(done.error().message);
    Result<CheckedProgram> program = look_at_program(
        arguments_, where_kernels_run(arguments_), is_quiet(), is_quiet() || !reports_.is_first());
    if (!program) return bad_input(program.error().message);
    program_ = std::move(*program);
    const std::string suffix =
        speaks_for_job() ? std::string() : ".rank" + std::to_string(reports_.rank());
    Result<std::unique_ptr<Live>> live = Live::prepare(arguments_, suffix, held_report_ == nullptr);
    if (!live) return bad_input(live.error().message);
    live_ = std::move(*live);
    if (arguments_.is_set("record") && (!program_.is_cuda || program_.has_cpu)) {
      Result<Recording> recording = Recording::prepare(arguments_.text("record"));
      if (!recording) return bad_input(recording.error().message);
      recording_.emplace(std::move(*recording));
    }
    // Ranks of a job are followed by its layer, which names memory by its owner; what one rank's processes share
    // besides is not looked at.
    if (program_.mpi == MpiMake::kNone && held_report_ == nullptr) {
      Result<collect::BetweenFile> between = collect::BetweenFile::create();
      if (between) {
        between_.emplace(std::move(*between));
      } else {
        print_note("races between processes will not be found: " + between.error().message);
      }
    }
    if (program_.mpi != MpiMake::kNone) {
      Result<MpiRun> mpi = MpiRun::prepare(program_.mpi, arguments_.flag("predict"));
      if (!mpi) return bad_input(mpi.error().message);
      mpi_run_.emplace(std::move(*mpi));
    }
    say_what_is_for_traces();
    const Result<std::string> socket = live_->server().listen();
    if (!socket) return bad_input(socket.error().message);
    const bool may_have_kernels =
        program_.is_cuda || program_.is_launcher || (is_on_gpu() && arguments_.flag("force"));
    if (may_have_kernels && program_.kernels != Kernels::kUnchecked) {
      Result<CudaRun> cuda = CudaRun::prepare(program_.kernels, kernels_record());
      // Launchers may start CUDA programs, or not.
      if (!cuda && program_.is_cuda) return bad_input(cuda.error().message);
      if (cuda) cuda_.emplace(std::move(*cuda));
    }
    return run_schedules(*socket);
  }

 private:
  // Threads are checked by SlimFast while they run; the option chooses for kernels.
  std::string detector_of_kernels() const {
    const std::string name = arguments_.text("detector");
    if (is_on_gpu() && !arguments_.is_set("detector")) return std::string(kDetectorInGpu);
    return gpu::find_gpu_detector(name) != nullptr ? name : std::string(gpu::kDefaultGpuDetector);
  }
  void say_what_is_for_traces() const {
    const std::string name = arguments_.text("detector");
    if (name == kDefaultDetector || gpu::find_gpu_detector(name) != nullptr || is_quiet()) return;
    print_note("--detector=" + name + " is for traces, and this run uses " +
               std::string(kDefaultDetector) +
               ": record with --record=FILE, then 'redflag replay " + "--detector=" + name +
               " FILE'");
  }

  bool is_on_gpu() const { return program_.kernels == Kernels::kOnGpu; }

  // Where the kernels are recorded: beside the trace of the threads, if there is one.
  std::string kernels_record() const {
    if (!program_.is_cuda || !arguments_.is_set("record")) return {};
    if (is_on_gpu()) {
      print_note(
          "the kernels are not recorded: that is done on the emulated GPU (redflag run --emulate "
          "--record=FILE)");
      return {};
    }
    std::string path = arguments_.text("record");
    if (!program_.has_cpu) return path;
    const std::size_t suffix = path.ends_with(".rft") ? path.size() - 4 : path.size();
    return path.substr(0, suffix) + ".gpu.rft";
  }

  // How one run ended.
  struct Outcome {
    int status = 0;
    int signal = 0;
    std::uint32_t pid = 0;
    bool asked_to_end = false;
  };

  Status run_schedules(const std::string& socket) {
    // A launcher lets each of its processes be one rank, once.
    const std::uint64_t count = program_.is_cuda && !is_rank() ? arguments_.number("schedules") : 1;
    const Result<Rewind> input = count > 1 ? Rewind::prepare(STDIN_FILENO) : Rewind{};
    if (!input) return bad_input(input.error().message);
    std::optional<Outcome> worst;
    for (std::uint64_t i = 0; i < count; ++i) {
      input->again();
      seed_ = arguments_.number("seed") + i;
      const std::uint64_t before = live_->collector().findings();
      const auto start = is_rank() ? &Launch::start_apart : &Launch::start;
      Result<Launch> launch = start(program_.path, arguments_.operands(), environment(socket));
      if (!launch) return bad_input(launch.error().message);
      wait_for(*launch);
      const Outcome outcome{launch->status(), launch->signal(),
                            static_cast<std::uint32_t>(launch->pid()), launch->asked_to_end()};
      if (!worst || (worst->status == 0 && outcome.status != 0)) worst = outcome;
      if (count > 1 && !is_quiet()) {
        const std::uint64_t found = live_->collector().findings() - before;
        print_note("schedule " + std::to_string(i + 1) + " of " + std::to_string(count) +
                   ", --seed=" + std::to_string(seed_) + ": " +
                   (found == 0 ? "nothing new" : plural(found, "new finding", "new findings")));
      }
      if (outcome.asked_to_end) break;
    }
    if (between_) live_->replay(*between_);
    return conclude(*worst);
  }
  // What the runtime in the program reads (wire.h), and its own options.
  std::vector<std::string> environment(const std::string& socket) const {
    std::vector<std::string> made{std::string(wire::kSocketVariable) + "=" + socket,
                                  std::string(wire::kProgramVariable) + "=" + own_path()};
    if (between_) made.push_back(std::string(wire::kBetweenVariable) + "=" + between_->path());
    // The user's variable, for what only the runtime knows, then what both that and the command line
    // came to.
    const char* given = std::getenv("REDFLAG_OPTIONS");
    std::string options(given == nullptr ? "" : given);
    for (const std::string_view key : kHandedOn) {
      if (!arguments_.is_set(key)) continue;
      const bool is_flag = find_option(key, Command::kRun)->kind == ValueKind::kFlag;
      const std::string value =
          is_flag ? (arguments_.flag(key) ? "yes" : "no") : arguments_.text(key);
      options += (options.empty() ? "" : " ") + std::string(key) + "=" + value;
    }
    if (cuda_) {
      options += (options.empty() ? "" : " ") + ("seed=" + std::to_string(seed_));
      for (std::string& line : cuda_->environment(program_.is_cuda))
        made.push_back(std::move(line));
    }
    if (mpi_run_) {
      for (std::string& line : mpi_run_->environment()) made.push_back(std::move(line));
    }
    made.push_back("REDFLAG_OPTIONS=" + options);
    if (const std::string calls = live_->ignored_calls(); !calls.empty()) {
      made.push_back(std::string(wire::kIgnoredCallsVariable) + "=" + calls);
    }
    if (recording_) {
      made.push_back(std::string(wire::kRecordVariable) + "=" + recording_->prefix());
    }
    return made;
  }

  void wait_for(Launch& launch) {
    collect::Server& server = live_->server();
    using Clock = std::chrono::steady_clock;
    bool told = false;
    std::optional<Clock::time_point> ended;
    while (!launch.ended() || server.connections() > 0) {
      // Once it has ended, those that it left behind are given a moment before they are told of.
      const int patience = launch.ended() && !told ? 1000
                           : cuda_ || mpi_run_     ? kCudaLookMilliseconds
                                                   : -1;
      const bool ready = server.serve(launch.descriptor(), patience);
      if (ready) launch.on_ready();
      if (!launch.asked_to_end()) look_at_kernels();
      if (!launch.ended()) continue;
      if (launch.asked_to_end()) break;
      if (!ended) ended = Clock::now();
      if (Clock::now() - *ended < std::chrono::milliseconds(900)) continue;
      if (!ready && !told && server.connections() > 0 && !is_quiet()) {
        told = true;
        print_note("the program has ended; waiting for " +
                   plural(server.connections(), "process", "processes") +
                   " that it left running (Ctrl-C: report now)");
      }
    }
    // What was sent before the end is in the sockets still.
    server.serve(-1, 0);
    look_at_kernels();
  }

  void look_at_kernels() {
    if (mpi_run_) mpi_run_->collect(live_->collector());
    if (cuda_) cuda_->collect(live_->collector(), seed_, arguments_.number("schedules") > 1);
  }

  Status conclude(const Outcome& outcome) {
    const bool quiet = is_quiet();
    if (outcome.signal != 0 && !quiet) {
      print_note("the program was ended by signal " + std::to_string(outcome.signal) + " (" +
                 ::strsignal(outcome.signal) + ")");
    }
    const bool used_cuda = cuda_ && cuda_->processes() > 0;
    if (used_cuda && cuda_->kernels() == 0 && !cuda_->failed() && !quiet) {
      print_note("no kernel was launched: nothing on the GPU was checked");
    }
    if (cuda_) live_->add_stats(cuda_->stats());
    if (program_.is_cuda || used_cuda) {
      live_->set_detector((program_.has_cpu ? "slimfast, " : "") + detector_of_kernels());
    }
    if (mpi_run_) live_->set_detector(live_->server().processes() == 0 ? "pgas" : "slimfast, pgas");
    if (live_->server().processes() == 0 && !program_.is_cuda && !used_cuda && !mpi_run_ &&
        !quiet) {
      print_note("nothing was checked: no process of the program is linked with libredflag" +
                 std::string(kHowToBuild));
    }
    // Also where notes are not wanted: a report without findings means less then.
    if (mpi_run_ && !mpi_run_->lost().empty()) print_note(mpi_run_->lost());
    if (is_rank()) {
      if (speaks_for_job()) {
        add_other_ranks(outcome);
      } else if (reports_.send(
                     write_json(named_by_rank(live_->take(arguments_.operands().front())), -1))) {
        return own_status(outcome);
      }
    }
    if (held_report_ != nullptr) return leave_report(outcome);
    const bool has_findings = live_->has_findings();
    const Status found = live_->finish(arguments_.operands().front());
    Result<void> recorded;
    if (recording_) recorded = recording_->finish(quiet);
    if (recorded && cuda_) recorded = cuda_->finish_recording(quiet);
    if (!recorded) return bad_input(recorded.error().message);
    // Zero: the program's own, as ThreadSanitizer has it.
    if (found == Status::kRaces && live_->exit_status() != 0) {
      return static_cast<Status>(live_->exit_status());
    }
    if (found == Status::kRaces) return own_status(outcome);
    if (found != Status::kClean) return found;
    if (cuda_ && cuda_->failed()) return Status::kBadInput;
    // All of its findings are known.
    return has_findings ? own_status(outcome) : static_cast<Status>(outcome.status);
  }

  // To 'redflag confirm', which shows the end of it all.
  Status leave_report(const Outcome& outcome) {
    const std::string text = write_json(live_->take(arguments_.operands().front()), -1);
    // One that is gone is not waited for any more.
    const int fd = ::open(held_report_, O_WRONLY | O_TRUNC | O_CLOEXEC);
    for (std::size_t at = 0; fd >= 0 && at < text.size();) {
      const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    if (fd >= 0) ::close(fd);
    return own_status(outcome);
  }

  // The program's, which its runtime turned into ours when it found something.
  Status own_status(const Outcome& outcome) {
    std::optional<int> own;
    if (outcome.status == live_->exit_status()) {
      own = live_->server().exit_status(outcome.pid);
    }
    return static_cast<Status>(own.value_or(outcome.status));
  }

  // Under 'redflag confirm' the same words would come with every run.
  bool is_quiet() const { return arguments_.flag("quiet") || held_report_ != nullptr; }

  bool is_rank() const { return mpi_run_ && reports_.is_job(); }

  // Of an MPI job only rank 0's files and last words are the user's.
  bool speaks_for_job() const { return program_.mpi == MpiMake::kNone || reports_.is_first(); }

  // Threads have the same numbers in every rank.
  Report named_by_rank(Report report) const {
    const std::string rank = "rank " + std::to_string(reports_.rank());
    for (Finding& finding : report.findings) {
      for (Side* side : {&finding.first, &finding.second}) {
        if (!side->rma) side->thread_name = rank;
      }
      for (ThreadOrigin& thread : finding.threads) thread.name = rank;
    }
    return report;
  }

  void add_other_ranks(const Outcome& outcome) {
    using std::chrono::milliseconds;
    // Of a job that failed some may be gone, and others take their time: OpenSHMEM's programs catch the
    // launcher's signal.
    const bool failed = outcome.asked_to_end || outcome.status != 0;
    const milliseconds patience = failed ? milliseconds(5'000) : milliseconds(10'000);
    for (const std::string& text : reports_.receive(patience)) {
      Result<Report> report = read_json("the report of another rank", text);
      if (report) live_->add(std::move(report->findings));
    }
  }

  const Arguments& arguments_;
  CheckedProgram program_;
  std::unique_ptr<Live> live_;
  std::optional<Recording> recording_;
  std::optional<collect::BetweenFile> between_;
  std::optional<CudaRun> cuda_;
  JobReports reports_ = JobReports::join();
  std::optional<MpiRun> mpi_run_;
  std::uint64_t seed_ = 0;                                      // of the present run
  const char* held_report_ = std::getenv(kHeldReportVariable);  // nullptr: not held
};

}  // namespace

Status run_run(const Arguments& arguments) {
  return Run(arguments).go();
}

}  // namespace redflag::cli
