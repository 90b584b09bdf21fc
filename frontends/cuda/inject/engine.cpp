#include "frontends/cuda/inject/engine.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::inject {
namespace {

class NoMemory final : public device::DeviceMemory {
 public:
  Result<std::uint64_t> allocate(std::uint64_t) override { return fail("no memory"); }
  void free(std::uint64_t) override {}
  void clear(std::uint64_t, std::uint64_t) override {}
  void write(std::uint64_t, std::span<const std::byte>) override {}
  void read(std::uint64_t, std::span<std::byte>) override {}
  Result<Mapped> allocate_mapped(std::uint64_t) override { return fail("no memory"); }
  std::uint64_t free_bytes() const override { return 0; }
};

}  // namespace

Engine::Engine(const cuda_report::Settings& settings)
    : settings_(settings), no_memory_(std::make_unique<NoMemory>()) {
  text_ = make_runtime(*no_memory_);
}

Engine::~Engine() = default;

std::unique_ptr<device::Runtime> Engine::make_runtime(device::DeviceMemory& memory) const {
  if (settings_.detector_chosen) return device::make_stream_runtime(memory, settings_.detector);
  return device::make_compact_runtime(memory, {.schedule = settings_.seed});
}

Maker::Rewrite Engine::rewriter() const {
  return [this](ptx::Module& module, const Maker::Piece& piece) {
    return rewrite::rewrite(module, {.runtime = text_->ptx(std::max(target_of(module), piece.sm)),
                                     .versions = !settings_.detector_chosen,
                                     .large_blocks = true,
                                     .linked = piece.linked,
                                     .sites_before = piece.sites_before});
  };
}

std::uint64_t Engine::block_bytes() const {
  static const std::uint64_t bytes = look_for_block_bytes();
  return bytes;
}

std::uint64_t Engine::look_for_block_bytes() const {
  constexpr std::uint32_t kAnyTarget = 80;
  const Result<ptx::Module> runtime =
      ptx::parse("the device runtime", std::string(text_->ptx(kAnyTarget)));
  const ptx::Variable* const block =
      runtime ? runtime->find_variable(device::kBlockSymbol) : nullptr;
  return block == nullptr ? 0 : block->bytes();
}

std::uint64_t Engine::more_shared(std::uint64_t fixed, std::uint64_t dynamic,
                                  std::uint64_t threads) const {
  return text_->more_shared(fixed, dynamic, threads);
}

std::string Engine::version() const {
  // Of a build: while Redflag is worked on, its version stays the same.
  static const char here = 0;
  Dl_info info{};
  struct stat file{};
  std::string text = settings_.detector_chosen ? "stream" : "compact";
  if (::dladdr(&here, &info) != 0 && info.dli_fname != nullptr &&
      ::stat(info.dli_fname, &file) == 0) {
    text += " " + std::to_string(file.st_size) + " " + std::to_string(file.st_mtim.tv_sec) + "." +
            std::to_string(file.st_mtim.tv_nsec);
  }
  return text;
}

}  // namespace redflag::inject
