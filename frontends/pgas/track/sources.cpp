#include "frontends/pgas/track/sources.h"

#include <link.h>
#include <unistd.h>

#include <array>

namespace redflag::pgas {
namespace {

constexpr std::uint64_t kExactPc = std::uint64_t{1} << 63;
constexpr std::uint32_t kMostFrames = 64;

struct Search {
  std::uint64_t pc;
  CodePlace found;
};

std::string own_file() {
  std::array<char, 4096> path{};
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
  return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : std::string();
}

int look(dl_phdr_info* module, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = module->dlpi_phdr[i];
    const std::uint64_t begin = module->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search.pc < begin || search.pc >= begin + part.p_memsz) continue;
    const char* const name = module->dlpi_name;
    search.found.file = name == nullptr || *name == 0 ? own_file() : std::string(name);
    search.found.offset = search.pc - begin + part.p_offset;
    return 1;
  }
  return 0;
}

}  // namespace

CodePlace Sources::place(std::uint64_t pc) const {
  Search search{pc & ~kExactPc, {}};
  ::dl_iterate_phdr(look, &search);
  search.found.is_entry = (pc & kExactPc) != 0;
  return search.found;
}

SourceNumber Sources::number(CodeStack stack) {
  own_.push_back(std::move(stack));
  return std::uint64_t{rank_} << 32 | own_.size();
}

SourceNumber Sources::of_context(std::uint32_t context) {
  if (context == 0) return 0;
  auto& recent = recent_contexts_[context % recent_contexts_.size()];
  if (recent.first == context) return recent.second;
  SourceNumber& known = by_context_[context];
  if (known == 0) {
    std::array<std::uint64_t, kMostFrames> pcs{};
    const std::uint32_t n = runtime_->stack(context, pcs.data(), kMostFrames);
    CodeStack stack;
    for (std::uint32_t i = 0; i < n; ++i) stack.push_back(place(pcs[i]));
    known = number(std::move(stack));
  }
  recent = {context, known};
  return known;
}

SourceNumber Sources::of_call(const void* function, const void* caller) {
  Recent& recent = recent_[reinterpret_cast<std::uint64_t>(caller) / 4 % recent_.size()];
  if (recent.caller == caller && recent.function == function) return recent.source;
  SourceNumber& known = by_call_[{function, caller}];
  if (known == 0) {
    known = number({place(reinterpret_cast<std::uint64_t>(function) | kExactPc),
                    place(reinterpret_cast<std::uint64_t>(caller))});
  }
  recent = {function, caller, known};
  return known;
}

bool Sources::tell(std::uint32_t rank, SourceNumber source, Bytes& to) {
  if (source == 0 || rank == rank_ || !told_.insert({rank, source}).second) return false;
  Writer out(to);
  out.put(source);
  const CodeStack& all = stack(source);
  out.put(static_cast<std::uint32_t>(all.size()));
  for (const CodePlace& each : all) {
    out.put_text(each.file);
    out.put(each.offset);
    out.put(static_cast<std::uint8_t>(each.is_entry ? 1 : 0));
  }
  return true;
}

bool Sources::learn(Reader& from) {
  const auto source = from.take<SourceNumber>();
  CodeStack stack;
  const std::uint32_t count = from.take_count(13);
  for (std::uint32_t i = 0; i < count && from.ok(); ++i) {
    CodePlace each;
    each.file = from.take_text();
    each.offset = from.take<std::uint64_t>();
    each.is_entry = from.take<std::uint8_t>() != 0;
    stack.push_back(std::move(each));
  }
  if (from.ok()) others_[source] = std::move(stack);
  return from.ok();
}

const CodeStack& Sources::stack(SourceNumber source) const {
  static const CodeStack kNone;
  if (source >> 32 == rank_) {
    const std::uint64_t i = source & 0xffffffffU;
    return i == 0 || i > own_.size() ? kNone : own_[i - 1];
  }
  const auto at = others_.find(source);
  return at == others_.end() ? kNone : at->second;
}

}  // namespace redflag::pgas
