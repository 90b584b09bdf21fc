// The functions that the fake driver exports, under the names and with the types of the real one.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "frontends/cuda/fatbin/binary.h"
#include "tests/cuda/inject/fake_cubin.h"
#include "tests/cuda/inject/fake_driver.h"
#include "tests/cuda/inject/fake_link.h"

namespace redflag::fake {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

constexpr std::size_t kManaged = 2 << 20;

Driver& driver() {
  return Driver::get();
}

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// What has been given to the linker: PTX, or machine code, which is PTX too.
struct Link {
  std::vector<std::string> texts;
  std::string code;

  bool add(int kind, std::string bytes) {
    if (kind == kJitInputCode) {
      texts.push_back(ptx_of_cubin(bytes.c_str()));
    } else if (kind == kJitInputPtx) {
      texts.push_back(bytes.c_str());
    } else {
      const Result<fatbin::Binary> binary = fatbin::parse_binary("an input", std::move(bytes));
      if (!binary) return false;
      for (const fatbin::Entry* entry : fatbin::choose_ptx(binary->entries, kCapability)) {
        texts.push_back(fatbin::unpack(*entry).value_or(""));
      }
    }
    return true;
  }
};

template <typename Handle>
CUresult load(Handle* made, const void* image, const char* how) {
  const Guard guard(driver().mutex);
  Module* module = nullptr;
  const CUresult done = driver().load(image, module);
  driver().log(std::string(how) + (done == kSuccess ? " " + module->kind : " refused"));
  if (done == kSuccess) *made = reinterpret_cast<Handle>(module);
  return done;
}

template <typename Handle>
CUresult function(Handle* made, void* module, const char* name) {
  const Guard guard(driver().mutex);
  Function* found = nullptr;
  const CUresult done = driver().function(static_cast<Module*>(module), name, found);
  if (done == kSuccess) *made = reinterpret_cast<Handle>(found);
  return done;
}

CUresult global(CUdeviceptr* at, std::size_t* size, void* module, const char* name) {
  const Guard guard(driver().mutex);
  const Result<cuda::Symbol> found =
      driver().device.find_symbol(static_cast<Module*>(module)->id, name);
  if (!found) return 500;
  if (at != nullptr) *at = found->address;
  if (size != nullptr) *size = found->size;
  return kSuccess;
}

template <typename Handle>
CUresult list(Handle* to, unsigned most, void* handle) {
  const Guard guard(driver().mutex);
  auto* const module = static_cast<Module*>(handle);
  for (std::size_t i = 0; i < module->names.size() && i < most; ++i) {
    const CUresult done = function(to + i, module, module->names[i].c_str());
    if (done != kSuccess) return done;
  }
  return kSuccess;
}

CUresult count(unsigned* to, void* module) {
  *to = static_cast<unsigned>(static_cast<Module*>(module)->names.size());
  return kSuccess;
}

// Of a kernel of a library, and of the function that it is in the one context there is.
CUresult allow(Function& function, int attribute, int value) {
  const int fixed = static_cast<int>(driver().device.info(function.id).static_shared);
  if (attribute == kCarveout) {
    driver().log("carveout of " + function.name + " " + std::to_string(value));
    return kSuccess;
  }
  if (attribute != kFunctionMostDynamic || fixed + value > kMostShared) return kErrorInvalidValue;
  function.most_dynamic = value;
  return kSuccess;
}

CUresult copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, CUstream stream) {
  const Guard guard(driver().mutex);
  return driver().submit(stream, Copy{to, from, bytes});
}

CUresult parameter(void* handle, std::size_t index, std::size_t* offset, std::size_t* size) {
  const Guard guard(driver().mutex);
  const cuda::KernelInfo& info = driver().device.info(static_cast<Function*>(handle)->id);
  if (index >= info.parameter_offsets.size()) return kErrorInvalidValue;
  if (offset != nullptr) *offset = info.parameter_offsets[index];
  if (size != nullptr) *size = info.parameter_sizes[index];
  return kSuccess;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) CUresult

API cuInit(unsigned) {
  return kSuccess;
}
API cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
API cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}
API cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return kSuccess;
}
API cuDeviceGetName(char* name, int bytes, CUdevice) {
  (void)std::snprintf(name, static_cast<std::size_t>(bytes), "a GPU that is none");
  return kSuccess;
}
API cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  *value = attribute == kAttributeMajor        ? kCapability / 10
           : attribute == kAttributeMostShared ? kMostShared
                                               : 0;
  return kSuccess;
}
API cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = the_context();
  return kSuccess;
}
API cuDevicePrimaryCtxRelease_v2(CUdevice) {
  return kSuccess;
}
API cuDevicePrimaryCtxReset(CUdevice) {
  driver().log("reset");
  return kSuccess;
}
API cuDevicePrimaryCtxReset_v2(CUdevice) {
  driver().log("reset");
  return kSuccess;
}
API cuCtxGetCurrent(CUcontext* context) {
  *context = contexts().back();
  return kSuccess;
}
API cuCtxSetCurrent(CUcontext context) {
  contexts().back() = context;
  return kSuccess;
}
API cuCtxPushCurrent_v2(CUcontext context) {
  contexts().push_back(context);
  return kSuccess;
}
API cuCtxPopCurrent_v2(CUcontext* context) {
  *context = contexts().back();
  contexts().pop_back();
  return kSuccess;
}
API cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return contexts().back() == nullptr ? 201 : kSuccess;
}
// FAKE_DRIVER_STUCK: the last kernel has not ended, and never does.
API cuCtxSynchronize() {
  if (std::getenv("FAKE_DRIVER_STUCK") != nullptr) ::sleep(60);
  return kSuccess;
}
API cuGetErrorName(CUresult result, const char** name) {
  *name = result == kErrorInvalidPtx ? "CUDA_ERROR_INVALID_PTX" : nullptr;
  return *name == nullptr ? kErrorInvalidValue : kSuccess;
}

API cuModuleLoadData(CUmodule* made, const void* image) {
  return load(made, image, "module");
}
API cuModuleLoadDataEx(CUmodule* made, const void* image, unsigned, CUjit_option*, void**) {
  return load(made, image, "module");
}
API cuModuleUnload(CUmodule module) {
  const Guard guard(driver().mutex);
  driver().device.unload(reinterpret_cast<Module*>(module)->id);
  driver().log("unload");
  return kSuccess;
}
API cuModuleGetFunction(CUfunction* made, CUmodule module, const char* name) {
  return function(made, module, name);
}
API cuModuleGetGlobal_v2(CUdeviceptr* at, std::size_t* size, CUmodule module, const char* name) {
  return global(at, size, module, name);
}
API cuLibraryLoadData(CUlibrary* made, const void* code, CUjit_option*, void**, unsigned,
                      CUlibraryOption*, void**, unsigned) {
  return load(made, code, "library");
}
API cuLibraryUnload(CUlibrary) {
  return kSuccess;
}
API cuLibraryGetKernel(CUkernel* made, CUlibrary library, const char* name) {
  return function(made, library, name);
}
API cuLibraryGetModule(CUmodule* made, CUlibrary library) {
  *made = reinterpret_cast<CUmodule>(library);
  return kSuccess;
}
API cuLibraryGetGlobal(CUdeviceptr* at, std::size_t* size, CUlibrary library, const char* name) {
  return global(at, size, library, name);
}
API cuKernelGetFunction(CUfunction* made, CUkernel kernel) {
  const Guard guard(driver().mutex);
  const auto& of = *reinterpret_cast<Function*>(kernel);
  std::unique_ptr<Function>& kept = of.module->of_kernels[of.name];
  if (kept == nullptr) kept = std::make_unique<Function>(of);
  *made = reinterpret_cast<CUfunction>(kept.get());
  return kSuccess;
}
API cuFuncGetModule(CUmodule* made, CUfunction handle) {
  *made = reinterpret_cast<CUmodule>(reinterpret_cast<Function*>(handle)->module);
  return kSuccess;
}
API cuFuncGetName(const char** name, CUfunction handle) {
  *name = reinterpret_cast<Function*>(handle)->name.c_str();
  return kSuccess;
}
API cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
API cuModuleGetFunctionCount(unsigned* to, CUmodule module) {
  return count(to, module);
}
API cuModuleEnumerateFunctions(CUfunction* functions, unsigned most, CUmodule module) {
  return list(functions, most, module);
}
API cuLibraryGetKernelCount(unsigned* to, CUlibrary library) {
  return count(to, library);
}
API cuLibraryEnumerateKernels(CUkernel* kernels, unsigned most, CUlibrary library) {
  return list(kernels, most, library);
}
API cuFuncGetAttribute(int* value, int attribute, CUfunction handle) {
  const Guard guard(driver().mutex);
  const cuda::KernelInfo& info = driver().device.info(reinterpret_cast<Function*>(handle)->id);
  const int fixed = static_cast<int>(info.static_shared);
  *value = attribute == kFunctionShared
               ? fixed
               : driver().most_dynamic(*reinterpret_cast<Function*>(handle));
  return kSuccess;
}
API cuFuncSetAttribute(CUfunction handle, int attribute, int value) {
  const Guard guard(driver().mutex);
  return allow(*reinterpret_cast<Function*>(handle), attribute, value);
}
API cuKernelSetAttribute(int attribute, int value, CUkernel kernel, CUdevice) {
  const Guard guard(driver().mutex);
  auto& function = *reinterpret_cast<Function*>(kernel);
  const auto in_context = function.module->of_kernels.find(function.name);
  if (in_context != function.module->of_kernels.end()) {
    (void)allow(*in_context->second, attribute, value);
  }
  return allow(function, attribute, value);
}
API cuFuncSetCacheConfig(CUfunction handle, int config) {
  driver().log("cache of " + reinterpret_cast<Function*>(handle)->name + " " +
               std::to_string(config));
  return kSuccess;
}
API cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice) {
  return cuFuncSetCacheConfig(reinterpret_cast<CUfunction>(kernel), config);
}
// Of a multiprocessor with 100 KiB.
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads,
                                                std::size_t dynamic) {
  const Guard guard(driver().mutex);
  const cuda::KernelInfo& info = driver().device.info(reinterpret_cast<Function*>(handle)->id);
  *blocks = static_cast<int>((100 << 10) / (info.static_shared + dynamic + 1024));
  driver().log("occupancy of " + std::to_string(threads) + " threads with " +
               std::to_string(dynamic) + " bytes");
  return kSuccess;
}
API cuOccupancyMaxPotentialBlockSize(int* grid, int* size, CUfunction handle,
                                     std::size_t (*of)(int), std::size_t dynamic, int) {
  int blocks = 0;
  *size = 128;
  const std::size_t bytes = of == nullptr ? dynamic : of(*size);
  const CUresult done = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle, *size, bytes);
  *grid = blocks * 16;
  return done;
}
API cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset,
                       std::size_t* size) {
  return parameter(handle, index, offset, size);
}
API cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset,
                         std::size_t* size) {
  return parameter(kernel, index, offset, size);
}

// A compiler whose machine code is the text again. FAKE_DRIVER_REFUSES: it compiles nothing;
// FAKE_DRIVER_REFUSES_LINKS_FROM: it links nothing from that call on.
API cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState* state) {
  *state = reinterpret_cast<CUlinkState>(new Link);
  return kSuccess;
}
API cuLinkAddData_v2(CUlinkState state, int kind, void* data, std::size_t bytes, const char*,
                     unsigned, CUjit_option*, void**) {
  driver().log("compile");
  if (std::getenv("FAKE_DRIVER_REFUSES") != nullptr) return kErrorInvalidPtx;
  return reinterpret_cast<Link*>(state)->add(kind, std::string(static_cast<char*>(data), bytes))
             ? kSuccess
             : kErrorInvalidImage;
}
API cuLinkAddFile_v2(CUlinkState state, int kind, const char* path, unsigned count,
                     CUjit_option* options, void** values) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return kErrorFileNotFound;
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  return cuLinkAddData_v2(state, kind, bytes.data(), bytes.size(), path, count, options, values);
}
API cuLinkComplete(CUlinkState handle, void** code, std::size_t* size) {
  auto* const state = reinterpret_cast<Link*>(handle);
  static int links = 0;
  const char* const refused = std::getenv("FAKE_DRIVER_REFUSES_LINKS_FROM");
  if (refused != nullptr && ++links >= std::atoi(refused)) return kErrorInvalidImage;
  const Result<std::string> text = link(state->texts);
  if (!text) {
    driver().log("link: " + text.error().message);
    return kErrorInvalidImage;
  }
  state->code = cubin(*text);
  driver().log("link of " + std::to_string(state->texts.size()));
  *code = state->code.data();
  *size = state->code.size();
  return kSuccess;
}
API cuLinkDestroy(CUlinkState state) {
  delete reinterpret_cast<Link*>(state);
  return kSuccess;
}

API cuLaunchKernel(CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared, CUstream stream, void** params,
                   void** extra) {
  const Guard guard(driver().mutex);
  return driver().launch(handle, config(gx, gy, gz, bx, by, bz, shared), stream, params, extra);
}
API cuLaunchCooperativeKernel(CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, CUstream stream,
                              void** params) {
  const Guard guard(driver().mutex);
  cuda::LaunchConfig made = config(gx, gy, gz, bx, by, bz, shared);
  made.cooperative = true;
  return driver().launch(handle, made, stream, params, nullptr);
}
API cuLaunchKernel_ptsz(CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream, void** params,
                        void** extra) {
  driver().log("per thread");
  return cuLaunchKernel(handle, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}
API cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction handle, void** params, void** extra) {
  return cuLaunchKernel(handle, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY,
                        c->blockDimZ, c->sharedMemBytes, c->hStream, params, extra);
}

API cuMemGetInfo_v2(std::size_t* unused, std::size_t* total) {
  *unused = *total = std::size_t{1} << 32;
  return kSuccess;
}
API cuMemAlloc_v2(CUdeviceptr* made, std::size_t bytes) {
  const Guard guard(driver().mutex);
  const Result<std::uint64_t> at = driver().device.allocate(bytes);
  if (!at) return kErrorOutOfMemory;
  *made = *at;
  return kSuccess;
}
API cuMemFree_v2(CUdeviceptr at) {
  const Guard guard(driver().mutex);
  return driver().device.free(at) ? kSuccess : kErrorInvalidValue;
}
API cuMemHostAlloc(void** made, std::size_t bytes, unsigned) {
  const Guard guard(driver().mutex);
  *made = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  driver().device.adopt(number(*made), bytes);
  return kSuccess;
}
API cuMemHostGetDevicePointer_v2(CUdeviceptr* there, void* at, unsigned) {
  *there = number(at);
  return kSuccess;
}
API cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return copy(to, number(from), bytes, nullptr);
}
API cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return copy(number(to), from, bytes, nullptr);
}
API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return copy(to, number(from), bytes, stream);
}
API cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy(number(to), from, bytes, stream);
}
API cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream) {
  // The emulator's memory is new pages where it is large: those that were never touched are zero.
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t first = (to + kPage - 1) / kPage * kPage;
  const std::uint64_t last = (to + count) / kPage * kPage;
  if (value == 0 && count > 1 << 20 &&
      ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) == 0) {
    std::memset(reinterpret_cast<void*>(to), 0, first - to);
    std::memset(reinterpret_cast<void*>(last), 0, to + count - last);
    return kSuccess;
  }
  std::memset(reinterpret_cast<void*>(to), value, count);
  return kSuccess;
}
API cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) reinterpret_cast<unsigned*>(to)[i] = value;
  return kSuccess;
}

// Managed memory comes in one mapping, as the real driver's small allocations do.
API cuMemAllocManaged(CUdeviceptr* made, std::size_t bytes, unsigned) {
  static char* next = static_cast<char*>(
      ::mmap(nullptr, kManaged, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  static char* const end = next + kManaged;
  const Guard guard(driver().mutex);
  const std::size_t size = (bytes + 511) / 512 * 512;
  if (size > static_cast<std::size_t>(end - next)) return kErrorOutOfMemory;
  driver().device.adopt(number(next), bytes);
  *made = number(next);
  next += size;
  return kSuccess;
}

API cuStreamCreate(CUstream* made, unsigned flags) {
  const Guard guard(driver().mutex);
  auto* const stream = new Stream;
  stream->flags = flags;
  driver().streams.insert(stream);
  *made = reinterpret_cast<CUstream>(stream);
  return kSuccess;
}
API cuStreamCreateWithPriority(CUstream* made, unsigned flags, int) {
  return cuStreamCreate(made, flags);
}
API cuStreamGetFlags(CUstream handle, unsigned* flags) {
  const Guard guard(driver().mutex);
  if (!driver().streams.contains(handle)) return kErrorInvalidHandle;
  auto* const stream = reinterpret_cast<Stream*>(handle);
  if (stream->capture != 0) {
    stream->is_broken = true;
    return kErrorNotInCapture;
  }
  *flags = stream->flags;
  return kSuccess;
}
API cuStreamSynchronize(CUstream) {
  return kSuccess;
}
API cuStreamDestroy_v2(CUstream handle) {
  const Guard guard(driver().mutex);
  driver().streams.erase(handle);
  delete reinterpret_cast<Stream*>(handle);
  return kSuccess;
}
// As the real one: by the name of the documentation, the newest version not after the one asked for.
API cuGetProcAddress_v2(const char* name, void** to, int version, std::uint64_t flags, int* found) {
  *to = nullptr;
  const std::string suffix = (flags & kPerThreadStreamSymbols) != 0 ? "_ptsz" : "";
  Dl_info self{};
  (void)::dladdr(reinterpret_cast<void*>(&the_context), &self);
  void* const own = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  for (const std::string& symbol : {std::string(name) + "_v2" + suffix, std::string(name) + suffix,
                                    std::string(name) + "_v2", std::string(name)}) {
    if (*to == nullptr && (version >= 4000 || symbol.find("_v2") == std::string::npos)) {
      *to = ::dlvsym(own, symbol.c_str(), "FAKE");
    }
  }
  if (found != nullptr) *found = *to == nullptr ? 1 : 0;
  return kSuccess;
}

// The one from before CUDA 12, which says nothing of what it found.
API cuGetProcAddress(const char* name, void** to, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, to, version, flags, nullptr);
}

}  // namespace redflag::fake
