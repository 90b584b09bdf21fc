// The fake driver's table for runtime libraries of CUDA 11 (fake_table.h).
//
// The real library has more of them, and exchanges numbers with the driver by which each knows the other
// for genuine. That is not imitated here: only that both must mean the same table.
#include <cstring>
#include <set>

#include "frontends/cuda/fatbin/container.h"
#include "tests/cuda/inject/fake_driver.h"
#include "tests/cuda/inject/fake_table.h"

namespace redflag::fake {
namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

std::set<const void*>& wrappers() {
  static auto* const all = new std::set<const void*>;
  return *all;
}

// The image that the GPU would run: machine code if there is some for it, else the newest PTX.
std::string chosen(const void* wrapper) {
  const Result<std::vector<fatbin::Entry>> entries = fatbin::read_memory(wrapper);
  if (!entries) return {};
  for (const fatbin::Entry& entry : *entries) {
    if (entry.kind == fatbin::Kind::kElf && entry.sm == kCapability) {
      return fatbin::unpack(entry).value_or("");
    }
  }
  const std::vector<const fatbin::Entry*> ptx = fatbin::choose_ptx(*entries, kCapability);
  return ptx.empty() ? std::string() : fatbin::unpack(*ptx.front()).value_or("");
}

CUresult load(CUmodule* made, const void* wrapper) {
  Driver& driver = Driver::get();
  const Guard guard(driver.mutex);
  if (contexts().back() == nullptr) return kErrorInvalidValue;
  Module* module = nullptr;
  const CUresult done = driver.load(chosen(wrapper).c_str(), module);
  driver.log(done == kSuccess ? "table " + module->kind : "table refused");
  if (done != kSuccess) return done;
  *made = reinterpret_cast<CUmodule>(module);
  wrappers().insert(wrapper);
  return done;
}

CUresult load_managed(CUmodule* made, const void* wrapper, void**, void**, unsigned count) {
  Driver::get().log("managed variables " + std::to_string(count));
  return load(made, wrapper);
}

CUresult primary(CUcontext* context, CUdevice) {
  *context = the_context();
  return kSuccess;
}

CUresult forget(const void* wrapper) {
  Driver& driver = Driver::get();
  const Guard guard(driver.mutex);
  if (wrappers().erase(wrapper) != 0) driver.log("forget");
  return kSuccess;
}

// The loader makes its page read-only.
const Table kTable{sizeof(Table), load, primary, {}, load_managed, forget};

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) CUresult

API cuGetExportTable(const void** table, const void* id);
API cuGetExportTable(const void** table, const void* id) {
  if (std::memcmp(id, kTableId, sizeof(kTableId)) != 0) return kErrorInvalidValue;
  *table = &kTable;
  return kSuccess;
}
// Stands for what the real driver and the real library agree on.
API cuFakeMeans(const void* table);
API cuFakeMeans(const void* table) {
  return table == &kTable ? kSuccess : kErrorInvalidValue;
}

}  // namespace redflag::fake
