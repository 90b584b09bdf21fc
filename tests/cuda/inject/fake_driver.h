// A CUDA driver without a GPU, for tests of what stands before it: kernels run in the emulator.
//
// Behaves as the driver's documentation says for the functions it has: enough for programs of the
// driver API with modules, libraries, streams, events, graphs and captures. Work is done when it is put
// into its stream. What it does is written to the file that FAKE_DRIVER_LOG names, a line for each
// call, so that a test can see what reached the driver.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/inject/driver.h"

namespace redflag::fake {

using namespace redflag::inject;

inline constexpr CUresult kErrorOutOfMemory = 2;
inline constexpr CUresult kErrorInvalidImage = 200;
inline constexpr CUresult kErrorInvalidPtx = 218;
inline constexpr CUresult kErrorFileNotFound = 301;
inline constexpr CUresult kErrorInvalidHandle = 400;
inline constexpr CUresult kErrorOutOfResources = 701;
inline constexpr CUresult kErrorLaunchFailed = 719;
inline constexpr CUresult kErrorNotInCapture = 900;
inline constexpr CUresult kErrorCaptureBroken = 901;

inline constexpr int kCarveout = 9;  // an attribute of functions
inline constexpr int kCapability = 90;
inline constexpr int kShared = 48 << 10;      // of a block
inline constexpr int kMostShared = 64 << 10;  // where a kernel asks for it

struct Module;
struct Function {
  Module* module = nullptr;
  std::string name;
  cuda::KernelId id{};
  int most_dynamic = -1;  // that a launch may ask for; -1: what static memory leaves of 48 KiB
};
struct Module {
  cuda::ModuleId id{};
  std::string kind;                // how it was given
  std::vector<std::string> names;  // of its kernels
  // By name: a kernel has one handle, however often it is asked for, and another as a library's function.
  std::map<std::string, std::unique_ptr<Function>> functions, of_kernels;
};
struct Launch {
  Function* function = nullptr;
  cuda::LaunchConfig config;
  std::vector<std::byte> params;
};
struct Copy {
  std::uint64_t to = 0, from = 0, bytes = 0;
};
struct Fill {
  std::uint64_t to = 0;
  unsigned value = 0;
  std::uint64_t count = 0;
};
struct Graph;
using Work = std::variant<Launch, Copy, Fill, std::shared_ptr<Graph>>;
struct Node {
  Work work;
  std::vector<Node*> after;
  const Node* original = nullptr;  // of a copy
};
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;

  Node* add(Work work, std::vector<Node*> after);
  Node* find(const Node* original) const;  // in a copy
  std::shared_ptr<Graph> copy() const;     // with its children
};
struct Stream {
  unsigned flags = 0;
  std::uint64_t capture = 0;
  bool is_broken = false;   // the capture, by a call that it does not allow
  std::vector<Node*> last;  // of the capture
  std::shared_ptr<Graph> graph;
};
struct Event {
  std::uint64_t capture = 0;
  std::vector<Node*> last;
  std::shared_ptr<Graph> graph;
};

class Driver {
 public:
  static Driver& get();

  std::recursive_mutex mutex;
  cuda::Device device{{}};
  std::set<void*> streams;
  std::uint64_t captures = 0;

  void log(const std::string& line);
  CUresult load(const void* image, Module*& made);
  CUresult function(Module* module, const char* name, Function*& made);
  CUresult launch(CUfunction function, const cuda::LaunchConfig& config, CUstream stream,
                  void** params, void** extra);
  CUresult describe(CUfunction function, const cuda::LaunchConfig& config, void** params,
                    void** extra, Launch& made);
  int most_dynamic(const Function& function) const;
  CUresult submit(CUstream stream, Work work);
  CUresult run(const Work& work);

 private:
  Driver();
  int file_ = -1;
};

cuda::LaunchConfig config(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared);

CUcontext the_context();  // there is one
// Those of this thread, the current one last.
std::vector<CUcontext>& contexts();

}  // namespace redflag::fake
