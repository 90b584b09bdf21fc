// redflag detectors compare: all detectors of GPU kernels on one run, side by side.
//
// A program is run once, without any detector, and its kernels are recorded; the trace, that one or
// the user's, is then read twice: by all detectors, and for the steps that explain where they
// differ (core/detect/gpu/comparison.h). So all see the same steps, and the program is not held up
// by several detectors at once.
#include <poll.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "cli/checked_program.h"
#include "cli/compared.h"
#include "cli/console.h"
#include "cli/cuda.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/launch.h"
#include "cli/probe.h"
#include "cli/run.h"
#include "cli/temporary.h"
#include "core/base/output_file.h"
#include "core/report/words.h"
#include "core/trace/gpu_reader.h"

namespace redflag::cli {
namespace {

class Compare {
 public:
  explicit Compare(const Arguments& arguments) : arguments_(arguments) {}

  Status go() {
    for (const std::string_view option : {"json", "html"}) {
      if (!arguments_.is_set(option)) continue;
      Result<OutputFile> file = OutputFile::create(arguments_.text(option));
      if (!file) return bad_input(file.error().message);
      files_.emplace_back(option, std::move(*file));
    }
    const std::string& name = arguments_.operands().front();
    std::string trace = name;
    if (!GpuTraceReader::is_one(name)) {
      if (const std::string other = other_trace(name); !other.empty()) return bad_input(other);
      Result<std::string> recorded = record();
      if (!recorded) return bad_input(recorded.error().message);
      trace = std::move(*recorded);
    } else if (arguments_.operands().size() > 1) {
      return bad_input("needed: one trace\nfound: " + name + " is one, and there is '" +
                       arguments_.operands()[1] + "' behind it\nto mend it: compare one at a time");
    }
    return compare(trace);
  }

 private:
  // What is wrong with a file that is no program and no trace of kernels; empty: it is a program.
  static std::string other_trace(const std::string& name) {
    std::error_code fault;
    if (name.ends_with(".rft") && !std::filesystem::exists(name, fault)) {
      return "needed: a trace of GPU kernels\nfound: no file '" + name +
             "'\nto record one: redflag run --record=" + shell_quoted(name) + " -- ./app";
    }
    if (!std::filesystem::is_regular_file(name, fault)) return {};
    const Result<Probe> probe = probe_program(name);
    if (probe && probe->kind != FileKind::kOther) return {};
    const std::string needed = "needed: a trace of GPU kernels, or a CUDA program\nfound: " + name;
    Result<Input> input = Input::open(name);
    Result<std::unique_ptr<EventReader>> reader =
        input ? input->read() : Result<std::unique_ptr<EventReader>>(Failure(input.error()));
    if (!reader) return needed + " is neither: " + reader.error().message;
    return needed +
           " is a trace of threads of the CPU\nto run a detector over it: redflag replay " +
           "--detector=NAME " + shell_quoted(name) +
           "\nto record kernels: redflag run --record=kernels.rft -- ./app";
  }

  // Runs the program; the trace of its kernels.
  Result<std::string> record() {
    const std::string& name = arguments_.operands().front();
    const Result<CheckedProgram> program =
        look_at_program(arguments_, Kernels::kEmulated, true, true);
    if (!program) return Failure(program.error());
    if (!program->is_cuda && !program->is_launcher) {
      return fail("needed: a program with CUDA kernels\nfound: " + name +
                  " loads no runtime library of CUDA\nto build one: redflag nvcc app.cu -o app");
    }
    Result<TemporaryFolder> folder = TemporaryFolder::make("the trace of the kernels");
    if (!folder) return Failure(folder.error());
    folder_.emplace(std::move(*folder));
    std::string trace = folder_->path() + "/kernels.rft";
    Result<CudaRun> cuda = CudaRun::prepare(Kernels::kEmulated, trace);
    if (!cuda) return Failure(cuda.error());
    std::vector<std::string> environment = cuda->environment(program->is_cuda);
    environment.push_back(
        "REDFLAG_OPTIONS=detect=no seed=" + std::to_string(arguments_.number("seed")) +
        " timeout=" + std::to_string(arguments_.number("timeout")));
    Result<Launch> launch = Launch::start(program->path, arguments_.operands(), environment);
    if (!launch) return Failure(launch.error());
    while (!launch->ended()) {
      pollfd wait{.fd = launch->descriptor(), .events = POLLIN, .revents = 0};
      if (::poll(&wait, 1, -1) > 0) launch->on_ready();
    }
    if (launch->asked_to_end()) return fail("interrupted: nothing was compared");
    collect::Collector collector({});
    cuda->collect(collector, 0, false);
    if (cuda->failed() && cuda->kernels() == 0) return fail("no kernel could be run: see above");
    if (const int status = launch->status(); status != 0) {
      print_note("the program ended with status " + std::to_string(status) +
                 "; what its kernels did until then is compared");
    }
    if (collector.findings() > 0) {
      print_note("kernels did " + plural(collector.findings(), "thing", "things") +
                 " that are not compared (accesses out of bounds, kernels without end): "
                 "'redflag run' reports them");
    }
    if (Result<void> done = cuda->finish_recording(true); !done) return Failure(done.error());
    return trace;
  }

  // Nothing: the user wants it to end.
  static Result<std::optional<GpuTraceReader>> play(const std::string& path, gpu::Sink& sink) {
    Result<GpuTraceReader> reader = GpuTraceReader::open(path);
    if (!reader) return Failure(reader.error());
    for (;;) {
      if (interrupted()) return std::optional<GpuTraceReader>();
      const Result<bool> more = reader->play(sink);
      if (!more) return Failure(more.error());
      if (!*more) return std::optional<GpuTraceReader>(std::move(*reader));
    }
  }

  Status compare(const std::string& trace) {
    const InterruptGuard guard;
    gpu::GpuDetectorOptions options;
    options.granularity = static_cast<unsigned>(std::stoul(arguments_.text("granularity")));
    options.accessors = static_cast<unsigned>(std::stoul(arguments_.text("accessors")));
    options.metadata_cache = arguments_.flag("metadata-cache");
    options.eager = arguments_.flag("eager");
    gpu::Comparison comparison(options);
    const Result<std::optional<GpuTraceReader>> reader = play(trace, comparison);
    if (!reader) return bad_input(reader.error().message);
    if (!*reader) return Status::kBadInput;
    const std::string& name = arguments_.operands().front();
    if (comparison.launches() == 0) {
      return bad_input("needed: kernels to compare detectors on\nfound: " + name +
                       (trace == name ? " has none" : " launched none"));
    }
    comparison.lay_out([&](gpu::SiteId site) { return place_of(**reader, site); });
    if (const auto areas = comparison.areas(); !areas.empty()) {
      gpu::Excerpt excerpt(areas);
      const Result<std::optional<GpuTraceReader>> again = play(trace, excerpt);
      if (!again) return bad_input(again.error().message);
      if (!*again) return Status::kBadInput;
      comparison.judge(excerpt);
    }
    return show(comparison, {name, arguments_.line(), arguments_.flag("rules")});
  }

  static std::string place_of(const GpuTraceReader& reader, gpu::SiteId site) {
    const std::vector<Frame>& frames = reader.frames(site);
    if (frames.empty() || frames.front().file.empty()) {
      return "instruction " + std::to_string(redflag::raw(site));
    }
    return frames.front().file + ":" + std::to_string(frames.front().line);
  }

  Status show(const gpu::Comparison& comparison, const ComparedInput& input) {
    bool takes_stdout = false;
    for (auto& [option, file] : files_) {
      takes_stdout |= file.path() == "-";
      const std::string text =
          option == "json" ? compared_json(comparison, input) : compared_html(comparison, input);
      Result<void> done = file.write(text);
      if (done) done = file.commit();
      if (!done) return bad_input(done.error().message);
    }
    const bool racy = !comparison.detectors().front().races.empty();
    const Status status = racy ? Status::kRaces : Status::kClean;
    if (takes_stdout) return status;
    return print_and_end(compared_text(comparison, input), status);
  }

  const Arguments& arguments_;
  std::vector<std::pair<std::string_view, OutputFile>> files_;
  std::optional<TemporaryFolder> folder_;
};

}  // namespace

Status run_detectors_compare(const Arguments& arguments) {
  const Status status = Compare(arguments).go();
  end_if_interrupted();
  return status;
}

}  // namespace redflag::cli
