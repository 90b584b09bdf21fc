#include "cli/mpi_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cli/runtime_files.h"
#include "frontends/pgas/collect/finding.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::cli {
namespace {

constexpr const char* kReportVariable = "REDFLAG_PGAS_REPORT";

struct Make {
  MpiMake make;
  std::array<std::string_view, 3> libraries;  // how the names of those that programs need begin
  std::string_view layer;
  std::string_view name;
  std::string_view packages;
};
// Programs of OpenSHMEM need MPI's library, too: they come first.
constexpr std::array<Make, 3> kMakes{{
    {MpiMake::kOpenShmem,
     {"liboshmem.so.", "liboshmem.so.", "liboshmem.so."},
     "redflag/libredflag-oshmem.so",
     "Open MPI's OpenSHMEM",
     "libopenmpi-dev openmpi-bin"},
    {MpiMake::kOpenMpi,
     {"libmpi.so.", "libmpi_mpifh.so.", "libmpi_usempif08.so."},
     "redflag/libredflag-openmpi.so",
     "Open MPI",
     "libopenmpi-dev openmpi-bin"},
    {MpiMake::kMpich,
     {"libmpich.so.", "libmpichcxx.so.", "libmpichfort.so."},
     "redflag/libredflag-mpich.so",
     "MPICH",
     "libmpich-dev mpich"},
}};

}  // namespace

MpiProgram mpi_of(const Probe& probe) {
  for (const Make& row : kMakes) {
    for (const std::string& each : probe.needed) {
      for (const std::string_view library : row.libraries) {
        if (each.starts_with(library)) return {row.make};
      }
    }
  }
  return {};
}

Result<MpiRun> MpiRun::prepare(MpiMake make) {
  const Make* row = kMakes.data();
  for (const Make& each : kMakes) {
    if (each.make == make) row = &each;
  }
  Result<RuntimeFiles> files = find_runtime(row->layer);
  if (!files) {
    return fail("needed: " + std::string(row->layer) + ", for a program of " +
                std::string(row->name) +
                "\nfound: it is not beside this command: Redflag was built without " +
                std::string(row->name) + "\nto mend it: apt-get install " +
                std::string(row->packages) + ", then build Redflag again");
  }
  std::error_code fault;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(fault);
  std::string file = (fault ? "/tmp" : temporary.string()) + "/redflag-mpi-XXXXXX";
  const int fd = ::mkostemp(file.data(), O_CLOEXEC);
  if (fd < 0) {
    return fail("needed: a temporary file, for what the job is found to do\nfound: cannot create " +
                file + "\nto mend it: name a folder that can be written by TMPDIR");
  }
  ::close(fd);
  return MpiRun(make, files->folder + "/" + std::string(row->layer), std::move(file));
}

MpiRun::MpiRun(MpiRun&& other) noexcept
    : make_(other.make_),
      layer_(std::move(other.layer_)),
      file_(std::exchange(other.file_, {})),
      read_(other.read_),
      symbolizer_(std::move(other.symbolizer_)) {}

MpiRun::~MpiRun() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

std::vector<std::string> MpiRun::environment() const {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  std::string preload = "LD_PRELOAD=" + layer_;
  if (preloaded != nullptr && *preloaded != '\0') preload += std::string(":") + preloaded;
  std::vector<std::string> made{preload, std::string(kReportVariable) + "=" + file_};
  // Open MPI 4.1's OpenSHMEM crashes when it ends with it.
  if (make_ == MpiMake::kOpenShmem && std::getenv("OMPI_MCA_memory") == nullptr) {
    made.emplace_back("OMPI_MCA_memory=^patcher");
  }
  return made;
}

void MpiRun::collect(collect::Collector& collector) {
  std::ifstream in(file_);
  in.seekg(static_cast<std::streamoff>(read_));
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // half a line: it is being written, or the job was killed
    read_ += line.size() + 1;
    const std::optional<pgas::RaceLine> race = pgas::read_line(line);
    if (!race) continue;
    std::optional<Finding> finding = pgas::to_finding(*race, symbolizer_);
    if (finding) collector.on_finding(std::move(*finding));
  }
}

}  // namespace redflag::cli
