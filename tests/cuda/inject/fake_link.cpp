#include "tests/cuda/inject/fake_link.h"

#include <map>
#include <set>

#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/ptx/printer.h"

namespace redflag::fake {
namespace {

using ptx::ItemKind;
using ptx::Linkage;

bool is_provided(std::string_view name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail";
}

class Linker {
 public:
  Result<void> define(const ptx::Module& module, std::size_t number) {
    for (const ptx::Function& each : module.functions) {
      if (!each.defined) continue;
      if (Result<void> done = define(each.name, each.linkage, number); !done) return done;
    }
    for (const ptx::Variable& each : module.variables) {
      if (each.linkage == Linkage::kExtern) continue;
      if (Result<void> done = define(each.name, each.linkage, number); !done) return done;
    }
    return {};
  }

  // Variables and declarations come before all functions: those may name what another module defines.
  Result<void> print(const ptx::Module& module, std::size_t number, std::string& first,
                     std::string& second) {
    ptx::Printer variables(module, first);
    ptx::Printer functions(module, second);
    for (const ptx::Item& item : module.items) {
      if (item.kind == ItemKind::kVariable) {
        const ptx::Variable& each = module.variables[item.index];
        const bool is_extern = each.linkage == Linkage::kExtern;
        if (is_extern && each.space != ptx::Space::kShared && !owner_.contains(each.name)) {
          return fail("undefined: " + std::string(each.name));
        }
        const bool here = is_extern ? !owner_.contains(each.name) : owner_[each.name] == number;
        if (here && printed_.insert(std::string(each.name)).second) variables.item(item);
      } else if (item.kind == ItemKind::kFunction) {
        const ptx::Function& each = module.functions[item.index];
        if (!each.defined && !owner_.contains(each.name) && !is_provided(each.name)) {
          return fail("undefined: " + std::string(each.name));
        }
        const bool here = each.defined && owner_[each.name] == number;
        const bool declares = here ? !each.is_entry : !owner_.contains(each.name);
        if (declares && declared_.insert(std::string(each.name)).second) {
          variables.head(each);
          first += ";\n";
        }
        if (here) functions.item(item);
      }
    }
    return {};
  }

 private:
  Result<void> define(std::string_view name, Linkage linkage, std::size_t number) {
    const auto [at, is_new] = owner_.emplace(name, number);
    const bool is_weak = linkage == Linkage::kWeak;
    if (!is_new && !is_weak && !weak_[name]) return fail("defined twice: " + std::string(name));
    if (is_new || (!is_weak && weak_[name])) {
      at->second = number;
      weak_[name] = is_weak;
    }
    return {};
  }

  std::map<std::string_view, std::size_t> owner_;
  std::map<std::string_view, bool> weak_;
  std::set<std::string> printed_, declared_;
};

}  // namespace

Result<std::string> link(const std::vector<std::string>& texts) {
  std::vector<ptx::Module> modules;
  for (const std::string& text : texts) {
    Result<ptx::Module> module = ptx::parse("fake", text);
    if (!module) return Failure(module.error());
    modules.push_back(std::move(*module));
  }
  Linker linker;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (Result<void> done = linker.define(modules[i], i); !done) return Failure(done.error());
  }
  std::string first = ".version 8.5\n.target sm_90\n.address_size 64\n";
  std::string second;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (Result<void> done = linker.print(modules[i], i, first, second); !done) {
      return Failure(done.error());
    }
  }
  return first + second;
}

}  // namespace redflag::fake
