#include "cli/mpi_run.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "cli/runtime_files.h"
#include "cli/temporary.h"
#include "frontends/pgas/collect/finding.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::cli {
namespace {

struct Make {
  MpiMake make;
  std::string_view layer;
  std::string_view name;
  std::string_view packages;
};
constexpr std::array<Make, 3> kMakes{{
    {MpiMake::kOpenShmem, "redflag/libredflag-oshmem.so", "Open MPI's OpenSHMEM",
     "libopenmpi-dev openmpi-bin"},
    {MpiMake::kOpenMpi, "redflag/libredflag-openmpi.so", "Open MPI", "libopenmpi-dev openmpi-bin"},
    {MpiMake::kMpich, "redflag/libredflag-mpich.so", "MPICH", "libmpich-dev mpich"},
}};

// How the names of libraries begin that programs need. Those of OpenSHMEM need MPI's, too: it comes first.
struct Library {
  std::string_view begins;
  MpiMake make;
};
constexpr std::array<Library, 7> kLibraries{{
    {"liboshmem.so.", MpiMake::kOpenShmem},
    {"libmpi.so.", MpiMake::kOpenMpi},
    {"libmpi_mpifh.so.", MpiMake::kOpenMpi},
    {"libmpi_usempif08.so.", MpiMake::kOpenMpi},
    {"libmpich.so.", MpiMake::kMpich},
    {"libmpichcxx.so.", MpiMake::kMpich},
    {"libmpichfort.so.", MpiMake::kMpich},
}};

const Make& row_of(MpiMake make) {
  for (const Make& each : kMakes) {
    if (each.make == make) return each;
  }
  return kMakes.front();
}

}  // namespace

MpiMake mpi_of(const Probe& probe) {
  for (const Library& library : kLibraries) {
    for (const std::string& each : probe.needed) {
      if (each.starts_with(library.begins)) return library.make;
    }
  }
  return MpiMake::kNone;
}

// Each would be a job of its own: the launcher's variables are the other library's.
std::string wrong_launcher(MpiMake make) {
  const bool by_open_mpi = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  const bool by_mpich = !by_open_mpi && std::getenv("HYDI_CONTROL_FD") != nullptr;
  const bool is_mpich = make == MpiMake::kMpich;
  if (is_mpich ? !by_open_mpi : !by_mpich) return {};
  const std::string_view launcher = is_mpich ? "Open MPI" : "MPICH";
  const std::string_view right = is_mpich                      ? "mpirun.mpich"
                                 : make == MpiMake::kOpenShmem ? "oshrun"
                                                               : "mpirun.openmpi";
  return "needed: the launcher of " + std::string(row_of(make).name) +
         ", which the program is linked with\nfound: the launcher of " + std::string(launcher) +
         "\nto mend it: " + std::string(right) +
         " -n N redflag run -- PROGRAM, or build the program with the other library";
}

Result<MpiRun> MpiRun::prepare(MpiMake make, bool predicts) {
  const Make& row = row_of(make);
  Result<RuntimeFiles> files = find_runtime(row.layer);
  if (!files) {
    return fail("needed: " + std::string(row.layer) + ", for a program of " +
                std::string(row.name) +
                "\nfound: it is not beside this command: Redflag was built without " +
                std::string(row.name) + "\nto mend it: apt-get install " +
                std::string(row.packages) + ", then build Redflag again");
  }
  Result<std::string> file = make_temporary("redflag-mpi", "what the job is found to do");
  if (!file) return Failure(file.error());
  return MpiRun(make, predicts, files->folder + "/" + std::string(row.layer), std::move(*file));
}

MpiRun::MpiRun(MpiRun&& other) noexcept
    : make_(other.make_),
      predicts_(other.predicts_),
      layer_(std::move(other.layer_)),
      file_(std::exchange(other.file_, {})),
      read_(other.read_),
      lost_(std::move(other.lost_)),
      symbolizer_(std::move(other.symbolizer_)) {}

MpiRun::~MpiRun() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

std::vector<std::string> MpiRun::environment() const {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  std::string preload = "LD_PRELOAD=" + layer_;
  if (preloaded != nullptr && *preloaded != '\0') preload += std::string(":") + preloaded;
  std::vector<std::string> made{preload, std::string(pgas::kReportVariable) + "=" + file_};
  if (predicts_) made.push_back(std::string(pgas::kPredictVariable) + "=1");
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
    std::optional<Finding> finding;
    if (const std::optional<pgas::RaceLine> race = pgas::read_line(line)) {
      finding = pgas::to_finding(*race, symbolizer_);
    } else if (const std::optional<pgas::MisuseLine> misuse = pgas::read_misuse(line)) {
      finding = pgas::to_finding(*misuse, symbolizer_);
    } else if (const std::optional<pgas::LossLine> loss = pgas::read_loss(line)) {
      lost_[loss->owner] += loss->accesses;
    }
    if (finding) collector.on_finding(std::move(*finding));
  }
}

std::string MpiRun::lost() const {
  if (lost_.empty()) return {};
  std::uint64_t accesses = 0;
  for (const auto& [owner, count] : lost_) accesses += count;
  const std::string whose = lost_.size() == 1 ? "rank " + std::to_string(lost_.begin()->first)
                                              : std::to_string(lost_.size()) + " ranks";
  return std::to_string(accesses) + " accesses to memory of " + whose +
         " were dropped before they were compared with those of all ranks, to stay within the "
         "memory "
         "limit: races with them may be missed. After a barrier of all ranks Redflag needs the "
         "accesses before it no longer (docs/user/one-sided.md, \"Memory and long runs\")";
}

}  // namespace redflag::cli
