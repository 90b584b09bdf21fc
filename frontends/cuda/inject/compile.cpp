#include "frontends/cuda/inject/compile.h"

#include <array>

#include "frontends/cuda/inject/driver_memory.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {
namespace {

std::uint32_t capability(CUdevice device) {
  int major = 0;
  int minor = 0;
  (void)real(Fn::k_cuDeviceGetAttribute, &major, kAttributeMajor, device);
  (void)real(Fn::k_cuDeviceGetAttribute, &minor, kAttributeMinor, device);
  return static_cast<std::uint32_t>(major * 10 + minor);
}

bool all_alike() {
  int count = 0;
  (void)real(Fn::k_cuDeviceGetCount, &count);
  for (CUdevice device = 1; device < count; ++device) {
    if (capability(device) != capability(0)) return false;
  }
  return true;
}

// Compiling needs a context. Where the thread has none, that of the first GPU is lent.
class AnyContext {
 public:
  AnyContext() {
    CUcontext current = nullptr;
    if (real(Fn::k_cuCtxGetCurrent, &current) == kSuccess && current != nullptr) return;
    CUcontext lent = nullptr;
    lent_ = real(Fn::k_cuDevicePrimaryCtxRetain, &lent, CUdevice{0}) == kSuccess;
    if (lent_) (void)real(Fn::k_cuCtxPushCurrent_v2, lent);
  }
  ~AnyContext() {
    if (!lent_) return;
    CUcontext popped = nullptr;
    (void)real(Fn::k_cuCtxPopCurrent_v2, &popped);
    (void)real(Fn::k_cuDevicePrimaryCtxRelease_v2, CUdevice{0});
  }
  AnyContext(const AnyContext&) = delete;
  AnyContext& operator=(const AnyContext&) = delete;

 private:
  bool lent_ = false;
};

// `registers`: of a thread at most; 0: as many as it takes.
Result<std::string> link_with(const std::vector<Input>& inputs, std::uintptr_t registers) {
  std::array<char, 4096> log{};
  std::array<CUjit_option, 3> options{kJitErrorLog, kJitErrorLogBytes, kJitMostRegisters};
  std::array<void*, 3> values{log.data(), reinterpret_cast<void*>(log.size() - 1),
                              reinterpret_cast<void*>(registers)};
  CUlinkState state = nullptr;
  const unsigned count = registers == 0 ? 2 : 3;
  CUresult done = real(Fn::k_cuLinkCreate_v2, count, options.data(), values.data(), &state);
  if (done != kSuccess) return fail("the driver's compiler: " + error_name(done));
  for (const Input& input : inputs) {
    // PTX with the zero byte that ends it.
    const std::size_t bytes = input.bytes.size() + (input.kind == kJitInputPtx ? 1 : 0);
    void* text = const_cast<char*>(input.bytes.c_str());
    done = real(Fn::k_cuLinkAddData_v2, state, input.kind, text, bytes, input.name.c_str(), 0U,
                static_cast<CUjit_option*>(nullptr), static_cast<void**>(nullptr));
    if (done != kSuccess) break;
  }
  void* code = nullptr;
  std::size_t size = 0;
  if (done == kSuccess) done = real(Fn::k_cuLinkComplete, state, &code, &size);
  std::string image;
  if (done == kSuccess) image.assign(static_cast<const char*>(code), size);
  (void)real(Fn::k_cuLinkDestroy, state);
  if (done != kSuccess) {
    return fail("the driver's compiler: " + error_name(done) + " " + std::string(log.data()));
  }
  return image;
}

}  // namespace

Gpu current_gpu() {
  CUdevice device = 0;
  if (real(Fn::k_cuCtxGetDevice, &device) != kSuccess) device = 0;
  int version = 0;
  (void)real(Fn::k_cuDriverGetVersion, &version);
  const std::uint32_t sm = capability(device);
  return {sm, "sm_" + std::to_string(sm) + "-" + std::to_string(version)};
}

Result<std::string> link(const std::vector<Input>& inputs) {
  const AnyContext context;
  const Inside inside(nullptr);
  Result<std::string> code = link_with(inputs, 0);
  // What is called through a pointer must do with the registers of a kernel for the largest blocks.
  constexpr std::uintptr_t kOfLargeBlocks = 64;
  if (!code) code = link_with(inputs, kOfLargeBlocks);
  return code;
}

Result<std::string> compile(const std::string& ptx) {
  if (!all_alike()) return std::string();
  return link({{kJitInputPtx, ptx, "redflag"}});
}

}  // namespace redflag::inject
