#include "frontends/cuda/inject/modules.h"

#include <algorithm>
#include <utility>

#include "frontends/cuda/report/outlet.h"

namespace redflag::inject {
namespace {

constexpr std::size_t kNamesShown = 8;
constexpr std::size_t kLongestName = 80;  // templates have names of thousands

std::string shortened(std::string name) {
  if (name.size() > kLongestName) name.replace(kLongestName - 3, std::string::npos, "...");
  return name;
}

}  // namespace

const rewrite::Kernel* Module::kernel(std::string_view name) const {
  if (code == nullptr) return nullptr;
  const auto at = std::find_if(code->kernels.begin(), code->kernels.end(),
                               [&](const rewrite::Kernel& each) { return each.name == name; });
  return at == code->kernels.end() ? nullptr : &*at;
}

std::string Kernel::why() const {
  if (code != nullptr) return code->why.empty() ? "it could not be rewritten" : code->why;
  if (module == nullptr)
    return "its module was loaded by a function that Redflag does not intercept";
  return module->why.empty() ? "its module's PTX does not define it" : module->why;
}

redflag::Unchecked::Kind Kernel::kind() const {
  const bool has_ptx =
      code != nullptr || module == nullptr || (module->code == nullptr && module->has_ptx);
  return has_ptx ? redflag::Unchecked::Kind::kUnsupportedKernel : redflag::Unchecked::Kind::kKernel;
}

void Modules::add(void* handle, std::shared_ptr<Module> module) {
  modules_[handle] = std::move(module);
}

std::shared_ptr<Module> Modules::find(const void* handle) const {
  const auto at = modules_.find(handle);
  return at == modules_.end() ? nullptr : at->second;
}

void Modules::remove(const void* handle) {
  const std::shared_ptr<Module> module = find(handle);
  if (module == nullptr) return;
  std::erase_if(modules_, [&](const auto& row) { return row.second == module; });
  std::erase_if(kernels_, [&](const auto& row) { return row.second.module == module; });
}

void Modules::add_kernel(const void* handle, const std::shared_ptr<Module>& module,
                         std::string name, bool of_library) {
  Kernel made;
  made.module = module;
  made.code = module == nullptr ? nullptr : module->kernel(name);
  made.readable = cuda_report::demangled(name);
  made.name = std::move(name);
  made.of_library = of_library;
  add_kernel(handle, std::move(made));
}

void Modules::forget(CUcontext context) {
  for (auto& [handle, module] : modules_) {
    if (module->ready.erase(context) != 0) module->variables.clear();
  }
  for (auto& [handle, kernel] : kernels_) kernel.versions->forget();
}

void Modules::add_kernel(const void* handle, Kernel kernel) {
  Kernel& known = kernels_[handle];
  const bool is_same = known.versions != nullptr && known.module == kernel.module &&
                       known.name == kernel.name && known.of_library == kernel.of_library;
  kernel.versions = is_same ? known.versions : std::make_shared<Versions>();
  if (is_same && kernel.dynamic_limit < 0) kernel.dynamic_limit = known.dynamic_limit;
  known = std::move(kernel);
}

const Kernel* Modules::find_kernel(const void* handle) const {
  const auto at = kernels_.find(handle);
  return at == kernels_.end() ? nullptr : &at->second;
}

void Modules::set_dynamic_limit(const void* handle, int bytes) {
  const auto at = kernels_.find(handle);
  if (at != kernels_.end()) at->second.dynamic_limit = bytes;
}

void Unchecked::add(const Kernel& kernel, const std::string& why) {
  why_[why].insert(kernel.name.empty() ? "a kernel without a name" : shortened(kernel.readable));
}

std::string Unchecked::text() const {
  std::size_t count = 0;
  for (const auto& [why, names] : why_) count += names.size();
  std::string text =
      std::to_string(count) + (count == 1 ? " kernel was" : " kernels were") + " not checked:";
  for (const auto& [why, names] : why_) {
    text += "\n  ";
    std::size_t shown = 0;
    for (const std::string& name : names) {
      if (shown == kNamesShown) {
        text += " and " + std::to_string(names.size() - shown) + " more";
        break;
      }
      text += (shown++ == 0 ? "" : ", ") + name;
    }
    text += ": " + why;
  }
  return text;
}

}  // namespace redflag::inject
