// Modules of CUDA 11's runtime library, shared or linked into the program: it loads them by functions that
// only a table has (runtime_table.h), in which ours take their places when it asks for the table.
//
// The driver's own function still loads: it sets up managed variables, which no other does. It gets a
// wrapper of ours around the rewritten image. Functions and launches of such a module go by functions of
// the driver that are intercepted as for any other.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/compile.h"
#include "frontends/cuda/inject/hooks.h"
#include "frontends/cuda/inject/load.h"
#include "frontends/cuda/inject/runtime_table.h"
#include "frontends/cuda/inject/wrapper.h"

namespace redflag::inject {
namespace {

// A wrapper of ours, and what it points to; the driver keeps the address.
struct Wrapped {
  std::string container;
  Wrapper wrapper{};
};
using ByWrapper = std::map<const void*, std::vector<std::unique_ptr<Wrapped>>>;

// What the driver has instead of a wrapper of the program: once for each load, by context. Under the lock.
ByWrapper& all_wrapped() {
  static auto* const all = new ByWrapper;
  return *all;
}

// The driver's functions, by entry.
std::atomic<void*> g_driver[static_cast<std::size_t>(TableEntry::kForget) + 1];

template <typename... Arguments>
CUresult driver(TableEntry entry, Arguments... arguments) {
  void* const function = g_driver[static_cast<std::size_t>(entry)].load(std::memory_order_acquire);
  return reinterpret_cast<CUresult (*)(Arguments...)>(function)(arguments...);
}

// `with`: calls the driver's function with a wrapper.
template <typename With>
CUresult load_wrapped(CUmodule* made, const void* wrapper, With with) {
  std::unique_ptr<Wrapped> ours;
  const CUresult done = load(
      made, wrapper, "a module",
      [&](Module& own) {
        ours = std::make_unique<Wrapped>();
        ours->container = container_of(own.image, current_gpu().sm);
        ours->wrapper = wrapper_of(ours->container);
        own.image.clear();
        return with(static_cast<const void*>(&ours->wrapper));
      },
      [&] { return with(wrapper); });
  if (ours != nullptr) {
    const Lock lock = Checker::get().lock();
    all_wrapped()[wrapper].push_back(std::move(ours));
  }
  return done;
}

CUresult table_load(CUmodule* made, const void* wrapper) {
  return load_wrapped(made, wrapper,
                      [&](const void* with) { return driver(TableEntry::kLoad, made, with); });
}

CUresult table_load_managed(CUmodule* made, const void* wrapper, void** first, void** second,
                            unsigned count) {
  return load_wrapped(made, wrapper, [&](const void* with) {
    return driver(TableEntry::kLoadManaged, made, with, first, second, count);
  });
}

CUresult table_forget(const void* wrapper) {
  std::vector<const Wrapper*> ours;
  {
    const Lock lock = Checker::get().lock();
    std::vector<std::unique_ptr<Wrapped>>& here = all_wrapped()[wrapper];
    for (const std::unique_ptr<Wrapped>& each : here) ours.push_back(&each->wrapper);
    // Kept: modules made of them may be there still. But another wrapper may come to lie there.
    std::vector<std::unique_ptr<Wrapped>>& forgotten = all_wrapped()[nullptr];
    std::move(here.begin(), here.end(), std::back_inserter(forgotten));
    all_wrapped().erase(wrapper);
  }
  for (const Wrapper* const each : ours) {
    (void)driver(TableEntry::kForget, static_cast<const void*>(each));
  }
  return driver(TableEntry::kForget, wrapper);
}

void take_place(const void* table, TableEntry entry, void* ours) {
  void* const found = entry_of(table, entry);
  if (found == nullptr || found == ours) return;
  g_driver[static_cast<std::size_t>(entry)].store(found, std::memory_order_release);
  (void)set_entry(table, entry, ours);
}

}  // namespace

CUresult get_export_table(const Call& call, const void** table, const void* id) {
  const CUresult done = pass(call, table, id);
  if (done != kSuccess || table == nullptr || !is_runtime_table(id)) return done;
  // Runtime libraries in several threads may ask at once.
  const Lock lock = Checker::get().lock();
  take_place(*table, TableEntry::kLoad, reinterpret_cast<void*>(&table_load));
  take_place(*table, TableEntry::kLoadManaged, reinterpret_cast<void*>(&table_load_managed));
  take_place(*table, TableEntry::kForget, reinterpret_cast<void*>(&table_forget));
  return done;
}

}  // namespace redflag::inject
