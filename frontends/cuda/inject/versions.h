// Which version of a rewritten kernel a launch gets (frontends/cuda/rewrite/versions.h), for one handle of it.
//
// Launches that run alone ask the kernel's proof with their sizes and parameters. What was asked last is kept
// with its answer, so that a program that launches the same again, or takes turns between a few buffers, does not wait. Versions have
// handles of their own, looked up once; a version that is not found, or on which something could not be
// set that the program has set on its kernel, is not used. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/inject/driver.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::inject {

// What the program gives a kernel: an array of pointers to parameters, or a block (parameters.h).
struct Arguments {
  void** params = nullptr;
  void** extra = nullptr;
};
// The program's own parameters as one block; nullopt: some are missing.
std::optional<std::vector<std::byte>> block_of(const rewrite::Kernel& kernel,
                                               const Arguments& given);

// Whether the module has it for us alone: no kernel of the program's.
bool is_version(const std::vector<rewrite::Kernel>& kernels, std::string_view name);

// The last questions about a kernel.
class Answers {
 public:
  struct Question {
    gpu::Dim grid, block;
    std::uint64_t allocations = 0;  // device::Runtime::allocations_version()
    std::vector<std::byte> parameters;
    friend bool operator==(const Question&, const Question&) = default;
  };
  struct Answer {
    rewrite::Version version = rewrite::Version::kFull;
    // Allocations for which each launch of it must be given cells (device::Runtime::make_cells).
    std::vector<std::uint64_t> cells;
  };
  const Answer* find(const Question& question) const;  // nullptr: it was not asked, or long ago
  void keep(Question question, Answer answer);

 private:
  struct Row {
    Question question;
    Answer answer;
  };
  std::vector<Row> rows_;
  std::size_t next_ = 0;  // to be replaced
};

class Versions {
 public:
  using AddressOf = std::function<std::uint64_t(const std::string& variable)>;  // 0: not known
  // The handle of the module's kernel of this name, launchable as the program's is; nullptr: there is none.
  using Find = std::function<CUfunction(const std::string& name)>;

  // The one that is enough for a launch that the runtime has begun, in the context. What a lean one needs of the runtime
  // has been made then.
  rewrite::Version choose(const rewrite::Kernel& kernel, const gpu::Launch& launch,
                          const Arguments& given, CUcontext context, device::Runtime& runtime,
                          const AddressOf& address_of);
  // nullptr: it is not to be used.
  CUfunction handle(const rewrite::Kernel& kernel, rewrite::Version version, const Find& find);
  // The program has set something on its kernel: so it is on the versions. `set`: does the same.
  void set(const rewrite::Kernel& kernel, const Find& find,
           const std::function<CUresult(CUfunction)>& set);
  // A context is no more: handles and addresses may be others next time.
  void forget();

 private:
  struct Here {
    std::optional<std::vector<std::uint64_t>> variables;  // addresses of the proof's
    Answers answers;
  };
  static Answers::Answer ask(const rewrite::Kernel& kernel, const Answers::Question& question,
                             std::span<const std::uint64_t> variables,
                             const device::Runtime& runtime);

  std::map<CUcontext, Here> here_;
  std::array<std::optional<CUfunction>, 3> handles_;  // by Version
};

// How often each was launched.
class VersionCounts {
 public:
  void add(rewrite::Version version) { ++counts_[static_cast<std::size_t>(version)]; }
  void instead(rewrite::Version before, rewrite::Version after);
  std::vector<Counter> all() const;

 private:
  std::array<std::uint64_t, 3> counts_{};
};

}  // namespace redflag::inject
