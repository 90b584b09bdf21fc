#include "cli/recording.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/console.h"
#include "core/report/words.h"
#include "frontends/cpu/collect/record_trace.h"

namespace redflag::cli {

Result<Recording> Recording::prepare(const std::string& path) {
  if (path == "-" || !path.ends_with(".rft")) {
    return fail("--record: found '" + path +
                "', expected a file that ends in .rft\nother formats "
                "are made from it: redflag trace convert run.rft run.txt");
  }
  Result<std::unique_ptr<EventWriter>> writer = create_trace(path, TraceFormat::kRft);
  if (!writer) return Failure(writer.error());
  std::error_code fault;
  std::string folder = std::filesystem::absolute(path, fault).string() + ".parts-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail(path + ": cannot create a folder beside it: " + std::strerror(errno));
  }
  return Recording(path, std::move(folder), std::move(*writer));
}

Recording::Recording(Recording&& other) noexcept
    : path_(std::move(other.path_)),
      folder_(std::exchange(other.folder_, {})),
      writer_(std::move(other.writer_)) {}

Recording::~Recording() {
  std::error_code fault;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, fault);
}

Result<void> Recording::finish(bool quiet) {
  // Who recorded most is known only after looking; the largest file is nearly always it.
  struct Process {
    std::uint32_t pid;
    collect::RecordReader reader;
  };
  std::vector<Process> processes;
  for (const collect::RecordedFile& file : collect::recorded_files(prefix())) {
    Result<collect::RecordReader> reader = collect::RecordReader::open(file.path);
    if (!reader) {
      print_note(reader.error().message);
    } else if (reader->events_at_most() > 0) {
      processes.push_back({file.pid, std::move(*reader)});
    }
  }
  if (processes.empty()) {
    return fail(path_ +
                ": nothing was recorded\nneeded: a program that is linked with libredflag and ran "
                "up to its main function\nfound: no process that left a record");
  }
  std::size_t most = 0;
  for (std::size_t i = 1; i < processes.size(); ++i) {
    if (processes[i].reader.events_at_most() > processes[most].reader.events_at_most()) most = i;
  }
  symbolize::Symbolizer symbolizer;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::string path = i == most ? path_ : numbered(path_, processes[i].pid);
    std::unique_ptr<EventWriter> other;
    if (i != most) {
      Result<std::unique_ptr<EventWriter>> made = create_trace(path, TraceFormat::kRft);
      if (!made) return Failure(made.error());
      other = std::move(*made);
    }
    const Result<collect::RecordedTrace> trace =
        collect::write_recorded(processes[i].reader, symbolizer, i == most ? *writer_ : *other);
    if (!trace) return Failure(trace.error());
    if (!trace->lost.empty()) {
      print_note(path + ": what process " + std::to_string(processes[i].pid) +
                 " recorded is not whole: " + trace->lost + " left out");
    }
    if (quiet) continue;
    std::string line = "  wrote trace: " + path + ", " + plural(trace->events, "event", "events");
    if (processes.size() > 1) line += " of process " + std::to_string(processes[i].pid);
    print_to_error(line + "\n");
  }
  return {};
}

std::string numbered(const std::string& path, std::uint32_t pid) {
  constexpr std::string_view kSuffix = ".rft";
  const std::string number = "." + std::to_string(pid);
  if (!path.ends_with(kSuffix)) return path + number;
  return path.substr(0, path.size() - kSuffix.size()) + number + std::string(kSuffix);
}

}  // namespace redflag::cli
