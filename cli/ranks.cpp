#include "cli/ranks.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

#include "cli/interrupt.h"
#include "cli/mpi/redflag_mpi.h"

namespace redflag::cli {
namespace {

constexpr const char* kLibrary = "libredflag-mpi.so";

// Relative to the folder of the executable: the build tree, then what `cmake --install` made.
constexpr std::array<const char*, 2> kFolders{"../lib", "../" REDFLAG_INSTALL_LIBDIR};

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

int stop_requested() {
  return interrupted() ? 1 : 0;
}

Failure no_mpi(const std::string& found) {
  return fail("started by an MPI launcher as " + std::to_string(launched_ranks()) +
              " processes, which needs " + kLibrary + "; " + found +
              "\nbuild Redflag with MPI (apt-get install libopenmpi-dev openmpi-bin, then build "
              "again)\nor run without the launcher on several threads: redflag replay --jobs=" +
              std::to_string(launched_ranks()) + " ...");
}

}  // namespace

int launched_ranks() {
  const int open_mpi = number_in("OMPI_COMM_WORLD_SIZE");
  return open_mpi > 0 ? open_mpi : number_in("PMI_SIZE");
}

int launched_rank() {
  return number_in("OMPI_COMM_WORLD_SIZE") > 0 ? number_in("OMPI_COMM_WORLD_RANK")
                                               : number_in("PMI_RANK");
}

std::string find_mpi_library() {
  std::error_code fault;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", fault);
  if (fault) return {};
  for (const char* folder : kFolders) {
    const std::filesystem::path file = self.parent_path() / folder / kLibrary;
    if (std::filesystem::exists(file, fault)) return file.lexically_normal().string();
  }
  return {};
}

Result<Ranks> Ranks::join() {
  Ranks ranks;
  if (launched_ranks() <= 1) return ranks;
  const std::string file = find_mpi_library();
  if (file.empty()) return no_mpi("it is not beside this program");
  // Global: Open MPI's own plug-ins look for its symbols.
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return no_mpi(std::string("it cannot be loaded: ") + ::dlerror());
  using Interface = const redflag_mpi* (*)();
  const auto interface = reinterpret_cast<Interface>(::dlsym(library, "redflag_mpi_interface"));
  if (interface == nullptr || interface()->version != REDFLAG_MPI_VERSION) {
    return no_mpi(file + " belongs to another version of Redflag");
  }
  ranks.mpi_ = interface();
  if (ranks.mpi_->init() != 0) return no_mpi("MPI did not start");
  ranks.rank_ = ranks.mpi_->rank();
  ranks.size_ = ranks.mpi_->size();
  return ranks;
}

Ranks::Ranks(Ranks&& other) noexcept
    : mpi_(std::exchange(other.mpi_, nullptr)), rank_(other.rank_), size_(other.size_) {}

Ranks::~Ranks() {
  // The others may be gone: waiting for them would outlive the launcher's patience.
  if (mpi_ != nullptr && !interrupted() && std::uncaught_exceptions() == 0) mpi_->finalize();
}

Result<int> Ranks::broadcast(int value) {
  if (mpi_ != nullptr && mpi_->broadcast(&value, stop_requested) != 0) return fail("interrupted");
  return value;
}

Result<std::vector<std::string>> Ranks::gather(const std::string& bytes) {
  if (mpi_ == nullptr) return std::vector<std::string>{bytes};
  std::vector<std::string> all;
  const auto take = [](void* context, int, const void* data, std::size_t size) {
    static_cast<std::vector<std::string>*>(context)->emplace_back(static_cast<const char*>(data),
                                                                  size);
  };
  if (mpi_->gather(bytes.data(), bytes.size(), take, &all, stop_requested) != 0) {
    return fail("the result of a rank did not arrive");
  }
  return all;
}

}  // namespace redflag::cli
