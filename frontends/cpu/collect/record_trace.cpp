#include "frontends/cpu/collect/record_trace.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/trace/validate.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::collect {
namespace {

constexpr std::size_t kEventsAtOnce = 4096;

// The tree of contexts, renumbered so that callers have smaller numbers, as traces want it.
class Contexts {
 public:
  explicit Contexts(const std::vector<wire::RecordedContext>& recorded) {
    nodes_.reserve(recorded.size());
    for (const wire::RecordedContext& one : recorded) {
      // 0 is "unknown" in an event; of two with one number the first counts.
      if (one.id != 0) nodes_.try_emplace(one.id, Node{one.parent, one.pc});
    }
  }

  void use(SourceId id) {
    const auto it = nodes_.find(raw(id));
    if (it != nodes_.end()) it->second.used = true;
  }

  SourceId source(SourceId id) const {
    const auto it = nodes_.find(raw(id));
    return it == nodes_.end() ? kNoSource : it->second.source;
  }

  // Defines every used context with its callers.
  Result<void> define(const symbolize::ProcessMap& map, symbolize::Symbolizer& symbolizer,
                      EventWriter& writer) {
    std::vector<std::uint32_t> wanted;
    for (const auto& [id, node] : nodes_) {
      if (node.used) wanted.push_back(id);
    }
    std::sort(wanted.begin(), wanted.end());
    for (const std::uint32_t id : wanted) {
      if (Result<void> done = define(id, map, symbolizer, writer); !done) return done;
    }
    return {};
  }

  std::uint32_t defined() const { return next_ - 1; }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  struct Node {
    std::uint32_t parent = 0;
    std::uint64_t pc = 0;
    SourceId source = kNoSource;
    State state = State::kNew;
    bool used = false;
  };

  // Not recursive: a stack may be as deep as the program's recursion.
  Result<void> define(std::uint32_t id, const symbolize::ProcessMap& map,
                      symbolize::Symbolizer& symbolizer, EventWriter& writer) {
    std::vector<Node*> path;
    for (std::uint32_t at = id;;) {
      const auto it = nodes_.find(at);
      if (it == nodes_.end() || it->second.state != State::kNew) break;
      it->second.state = State::kOpen;
      path.push_back(&it->second);
      at = it->second.parent;
    }
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      SourceId caller = kNoSource;
      const auto parent = nodes_.find((*node)->parent);
      if (parent != nodes_.end() && parent->second.state == State::kDone) {
        caller = parent->second.source;
      }
      const std::vector<Frame>& frames = resolved((*node)->pc, map, symbolizer);
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        const SourceId made{next_++};
        if (Result<void> done = writer.define(SourceDefinition{made, caller, *frame}); !done) {
          return done;
        }
        caller = made;
      }
      (*node)->source = caller;
      (*node)->state = State::kDone;
    }
    return {};
  }

  const std::vector<Frame>& resolved(std::uint64_t pc, const symbolize::ProcessMap& map,
                                     symbolize::Symbolizer& symbolizer) {
    const auto [it, is_new] = frames_.try_emplace(pc);
    if (!is_new) return it->second;
    if ((pc & wire::kExactPc) != 0) {
      it->second.push_back(named(symbolizer.function(map, pc & ~wire::kExactPc)));
    } else {
      // A return address: the call is before it.
      for (CodeFrame& frame : symbolizer.frames(map, pc == 0 ? 0 : pc - 1)) {
        it->second.push_back(named(std::move(frame)));
      }
    }
    for (Frame& frame : it->second) {
      // Names of templates have no limit; those of traces have.
      frame.function.resize(std::min(frame.function.size(), kMaxNameBytes));
      frame.file.resize(std::min(frame.file.size(), kMaxNameBytes));
    }
    return it->second;
  }

  // Traces have no modules: where there is no name, the place in the module stands in.
  static Frame named(CodeFrame frame) {
    if (frame.function.empty() && !frame.module.empty()) {
      char offset[32];
      std::snprintf(offset, sizeof(offset), "+0x%llx",
                    static_cast<unsigned long long>(frame.offset));
      frame.function = std::filesystem::path(frame.module).filename().string() + offset;
    }
    return static_cast<Frame&&>(frame);
  }

  std::unordered_map<std::uint32_t, Node> nodes_;
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;  // by pc, innermost first
  std::uint32_t next_ = 1;
};

// The global variables that the events touch. Only addresses in or after a mapped file are looked
// up: what follows is its zero-initialised data, and it may be the heap, so that a memory of what
// has been asked in vain saves most questions.
class Globals {
 public:
  Globals(const symbolize::ProcessMap& map, symbolize::Symbolizer& symbolizer)
      : map_(map), symbolizer_(symbolizer) {
    for (const symbolize::Mapping& mapping : map.mappings) {
      spans_[mapping.begin] = mapping.end + kSlack;
    }
  }

  void touch(std::uint64_t address) {
    if (address - last_.first < last_.second) return;
    const auto span = spans_.upper_bound(address);
    if (span == spans_.begin() || std::prev(span)->second <= address) return;
    const auto next = found_.upper_bound(address);
    if (next != found_.begin()) {
      const Region& region = std::prev(next)->second;
      if (address - raw(region.addr) < region.size) {
        last_ = {raw(region.addr), region.size};
        return;
      }
    }
    if (asked_.size() == kMostRemembered) asked_.clear();
    if (!asked_.insert(address).second) return;
    const std::optional<symbolize::Variable> variable = symbolizer_.variable(map_, address);
    if (!variable || variable->size == 0) return;
    Region region{Addr{variable->address}, variable->size, RegionKind::kGlobal, variable->name};
    region.name.resize(std::min(region.name.size(), kMaxNameBytes));
    if (definition_fault(region) == nullptr) found_[variable->address] = std::move(region);
  }

  Result<void> define(EventWriter& writer) const {
    for (const auto& [address, region] : found_) {
      if (Result<void> done = writer.define(region); !done) return done;
    }
    return {};
  }

 private:
  static constexpr std::size_t kMostRemembered = 1 << 16;
  static constexpr std::uint64_t kSlack = 1 << 30;

  const symbolize::ProcessMap& map_;
  symbolize::Symbolizer& symbolizer_;
  std::map<std::uint64_t, std::uint64_t> spans_;
  std::map<std::uint64_t, Region> found_;
  std::unordered_set<std::uint64_t> asked_;
  std::pair<std::uint64_t, std::uint64_t> last_{0, 0};
};

}  // namespace

Result<RecordedTrace> write_recorded(RecordReader& reader, symbolize::Symbolizer& symbolizer,
                                     EventWriter& writer) {
  Contexts contexts(reader.contexts());
  const symbolize::ProcessMap map = merged_maps(reader.maps());
  Globals globals(map, symbolizer);
  reader.rewind();
  while (const Event* event = reader.next()) {
    contexts.use(event->source);
    if (is_access(event->kind)) globals.touch(event->object);
  }
  if (Result<void> done = globals.define(writer); !done) return Failure(done.error());
  if (Result<void> done = contexts.define(map, symbolizer, writer); !done) {
    return Failure(done.error());
  }
  if (Result<void> done = writer.define(ThreadName{kMainThread, "main"}); !done) {
    return Failure(done.error());
  }
  RecordedTrace made;
  made.sources = contexts.defined();
  std::vector<Event> batch;
  batch.reserve(kEventsAtOnce);
  const auto flush = [&]() -> Result<void> {
    Result<void> done = writer.append(batch);
    made.events += batch.size();
    batch.clear();
    return done;
  };
  reader.rewind();
  while (const Event* event = reader.next()) {
    batch.push_back(*event);
    batch.back().source = contexts.source(event->source);
    if (batch.size() < kEventsAtOnce) continue;
    if (Result<void> done = flush(); !done) return Failure(done.error());
  }
  if (Result<void> done = flush(); !done) return Failure(done.error());
  if (Result<void> done = writer.finish(); !done) return Failure(done.error());
  made.lost = reader.faults().text();
  return made;
}

symbolize::ProcessMap merged_maps(const std::vector<std::string>& texts) {
  std::map<std::uint64_t, symbolize::Mapping> by_begin;
  std::string whole;
  for (const std::string& text : texts) {
    whole += text;
    // A text that filled its chunk goes on in the next one, perhaps in the middle of a line.
    if (!text.ends_with('\n') && &text != &texts.back()) continue;
    for (symbolize::Mapping& mapping : symbolize::parse_maps(std::exchange(whole, {})).mappings) {
      auto at = by_begin.upper_bound(mapping.begin);
      if (at != by_begin.begin() && std::prev(at)->second.end > mapping.begin) --at;
      while (at != by_begin.end() && at->second.begin < mapping.end) at = by_begin.erase(at);
      by_begin.emplace(mapping.begin, std::move(mapping));
    }
  }
  symbolize::ProcessMap map;
  for (auto& [begin, mapping] : by_begin) map.mappings.push_back(std::move(mapping));
  return map;
}

std::vector<RecordedFile> recorded_files(const std::string& prefix) {
  const std::filesystem::path path(prefix);
  const std::string start = path.filename().string() + ".";
  std::vector<RecordedFile> files;
  std::error_code fault;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (std::filesystem::directory_iterator at(folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(start)) continue;
    RecordedFile file;
    const char* last = name.data() + name.size();
    const auto [rest, wrong] = std::from_chars(name.data() + start.size(), last, file.pid);
    if (wrong != std::errc{} || rest != last) continue;
    std::error_code no_size;
    file.path = at->path().string();
    file.size = at->file_size(no_size);
    if (!no_size) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const RecordedFile& a, const RecordedFile& b) {
    return std::pair(b.size, a.pid) < std::pair(a.size, b.pid);
  });
  return files;
}

}  // namespace redflag::collect
