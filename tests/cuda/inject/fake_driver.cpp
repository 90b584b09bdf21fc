#include "tests/cuda/inject/fake_driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "frontends/cuda/ptx/parser.h"
#include "tests/cuda/inject/fake_cubin.h"

namespace redflag::fake {

Driver& Driver::get() {
  static auto* const driver = new Driver;
  return *driver;
}

Driver::Driver() {
  if (const char* path = std::getenv("FAKE_DRIVER_LOG")) {
    file_ = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
}

void Driver::log(const std::string& line) {
  const std::string text = line + "\n";
  if (file_ >= 0) (void)!::write(file_, text.data(), text.size());
}

cuda::LaunchConfig config(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared) {
  cuda::LaunchConfig made;
  made.grid = {gx, gy, gz};
  made.block = {bx, by, bz};
  made.dynamic_shared = shared;
  return made;
}

CUcontext the_context() {
  static char context = 0;
  return reinterpret_cast<CUcontext>(&context);
}

std::vector<CUcontext>& contexts() {
  // Never freed: what runs at exit calls the driver behind the ends of threads.
  static thread_local auto* const own = new std::vector<CUcontext>{nullptr};
  return *own;
}

CUresult Driver::load(const void* image, Module*& made) {
  const bool is_code = is_cubin(image);
  std::string text = is_code ? ptx_of_cubin(image) : static_cast<const char*>(image);
  const std::string kind = is_code ? "cubin" : "ptx";
  if (text.find(".version") == std::string::npos) return kErrorInvalidImage;
  Result<ptx::Module> parsed = ptx::parse("fake", std::move(text));
  if (!parsed) return kErrorInvalidPtx;
  std::vector<std::string> names;
  for (const ptx::Function& each : parsed->functions) {
    if (each.is_entry) names.emplace_back(each.name);
  }
  const Result<cuda::ModuleId> id = device.load(std::move(*parsed));
  if (!id) return kErrorInvalidPtx;
  made = new Module{*id, kind, std::move(names), {}, {}};
  return kSuccess;
}

CUresult Driver::function(Module* module, const char* name, Function*& made) {
  const Result<cuda::KernelId> id = device.find_kernel(module->id, name);
  if (!id) {
    log("no kernel " + std::string(name) + ": " + id.error().message);
    return kErrorInvalidHandle;
  }
  std::unique_ptr<Function>& kept = module->functions[name];
  if (kept == nullptr) kept.reset(new Function{module, name, *id});
  made = kept.get();
  return kSuccess;
}

CUresult Driver::launch(CUfunction handle, const cuda::LaunchConfig& config, CUstream stream,
                        void** params, void** extra) {
  Launch made;
  const CUresult done = describe(handle, config, params, extra, made);
  return done == kSuccess ? submit(stream, std::move(made)) : done;
}

int Driver::most_dynamic(const Function& function) const {
  const int fixed = static_cast<int>(device.info(function.id).static_shared);
  return function.most_dynamic >= 0 ? function.most_dynamic : kShared - fixed;
}

CUresult Driver::describe(CUfunction handle, const cuda::LaunchConfig& config, void** params,
                          void** extra, Launch& made) {
  auto* const function = reinterpret_cast<Function*>(handle);
  const cuda::KernelInfo& info = device.info(function->id);
  made = {function, config, std::vector<std::byte>(info.parameter_bytes)};
  // FAKE_DRIVER_REFUSES_LAUNCHES_OF: a kernel that has too many registers.
  const char* const refused = std::getenv("FAKE_DRIVER_REFUSES_LAUNCHES_OF");
  if (refused != nullptr && function->name == refused) return kErrorOutOfResources;
  if (config.dynamic_shared > static_cast<std::uint64_t>(most_dynamic(*function))) {
    return kErrorInvalidValue;
  }
  if (extra != nullptr) {
    const void* block = nullptr;
    std::size_t size = 0;
    for (; reinterpret_cast<std::uintptr_t>(*extra) != kParamEnd; extra += 2) {
      if (reinterpret_cast<std::uintptr_t>(*extra) == kParamBufferPointer) block = extra[1];
      if (reinterpret_cast<std::uintptr_t>(*extra) == kParamBufferSize) {
        size = *static_cast<const std::size_t*>(extra[1]);
      }
    }
    if (block == nullptr || size != made.params.size()) return kErrorInvalidValue;
    std::memcpy(made.params.data(), block, size);
  } else {
    for (std::size_t i = 0; i < info.parameter_offsets.size(); ++i) {
      if (params == nullptr || params[i] == nullptr) return kErrorInvalidValue;
      std::memcpy(made.params.data() + info.parameter_offsets[i], params[i],
                  info.parameter_sizes[i]);
    }
  }
  std::uint64_t last = 0;
  if (made.params.size() >= sizeof(last)) {
    std::memcpy(&last, made.params.data() + made.params.size() - sizeof(last), sizeof(last));
  }
  log("launch " + function->name + " of " + function->module->kind + " with " +
      std::to_string(info.parameter_offsets.size()) + " parameters, last " +
      std::to_string(last & 0xffffffff));
  return kSuccess;
}

CUresult Driver::submit(CUstream handle, Work work) {
  auto* const stream = reinterpret_cast<Stream*>(handle);
  if (streams.contains(stream) && stream->capture != 0) {
    stream->last = {stream->graph->add(std::move(work), stream->last)};
    return kSuccess;
  }
  return run(work);
}

CUresult Driver::run(const Work& work) {
  if (const auto* copy = std::get_if<Copy>(&work)) {
    std::memmove(reinterpret_cast<void*>(copy->to), reinterpret_cast<const void*>(copy->from),
                 copy->bytes);
    return kSuccess;
  }
  if (const auto* fill = std::get_if<Fill>(&work)) {
    for (std::uint64_t i = 0; i < fill->count; ++i) {
      reinterpret_cast<unsigned*>(fill->to)[i] = fill->value;
    }
    return kSuccess;
  }
  if (const auto* child = std::get_if<std::shared_ptr<Graph>>(&work)) {
    for (const std::unique_ptr<Node>& node : (*child)->nodes) {
      if (const CUresult done = run(node->work); done != kSuccess) return done;
    }
    return kSuccess;
  }
  const auto& launch = std::get<Launch>(work);
  std::uint64_t last = 0;
  if (launch.params.size() >= sizeof(last)) {
    std::memcpy(&last, launch.params.data() + launch.params.size() - sizeof(last), sizeof(last));
  }
  log("run " + launch.function->name + " " + std::to_string(last & 0xffffffff));
  cuda::Fault fault;
  const Result<void> ran = device.launch(launch.function->id, launch.config, launch.params, fault);
  if (!ran || fault.kind != cuda::FaultKind::kNone) {
    log("failed " + launch.function->name + ": " + (ran ? fault.text : ran.error().message));
    return kErrorLaunchFailed;
  }
  return kSuccess;
}

}  // namespace redflag::fake
