#include "frontends/cpu/collect/between.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/detect/registry.h"
#include "core/explain/explainer.h"
#include "frontends/cpu/collect/record_reader.h"
#include "frontends/cpu/collect/record_trace.h"
#include "frontends/cpu/collect/resolve.h"
#include "frontends/cpu/wire/between.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::collect {
namespace {

constexpr std::size_t kBatch = 4096;

using Tables = BetweenTables;

// The memory that an object is in; nullptr: it is not in shared memory.
const wire::BetweenMemory* memory_of(const Tables& tables, std::uint64_t object) {
  const std::uint64_t n = object >> wire::kMemoryShift;
  return n >= 1 && n <= tables.memories.size() ? &tables.memories[n - 1] : nullptr;
}

// The recorded events with what is added to them, the same each time.
class Stream {
 public:
  Stream(RecordReader& reader, const Tables& tables) : reader_(reader), tables_(tables) {
    reader_.rewind();
  }

  // Empty: the end.
  std::span<const Event> next() {
    batch_.clear();
    while (batch_.size() < kBatch) {
      const Event* event = reader_.next();
      if (event == nullptr) break;
      if (tables_.stopped_at != 0 && reader_.sequence() >= tables_.stopped_at) break;
      take(*event);
    }
    return batch_;
  }

 private:
  // What all threads tell a process that comes from nowhere.
  static constexpr std::uint64_t kPast = wire::kNamed | 4;

  void add(EventKind kind, std::uint32_t thread, std::uint64_t object, Order order,
           std::uint32_t size) {
    Event e;
    e.kind = kind;
    e.thread = ThreadId{thread};
    e.object = object;
    e.order = order;
    e.size = size;
    batch_.push_back(e);
  }

  void take(const Event& event) {
    const std::uint32_t me = raw(event.thread);
    const std::size_t most = tables_.threads.size();
    if (me >= most || tables_.threads[me].process >= tables_.processes.size()) return;
    switch (event.kind) {
      case EventKind::kFork:
        if (event.object == me) {
          for (const std::uint32_t other : there_) {
            if (other != me) add(EventKind::kAtomicRmw, other, kPast, Order::kRelease, 1);
          }
          add(EventKind::kAtomicLoad, me, kPast, Order::kAcquire, 1);
          there_.insert(me);
          return;
        }
        if (event.object >= most) return;
        there_.insert(static_cast<std::uint32_t>(event.object));
        break;
      case EventKind::kJoin:
        if (event.object >= most || event.object == me) return;
        there_.erase(static_cast<std::uint32_t>(event.object));
        break;
      case EventKind::kThreadEnd:
        there_.erase(me);
        break;
      case EventKind::kAcquire: {
        const auto [at, is_new] = owners_.try_emplace(event.object, me);
        if (!is_new && at->second != me) {
          add(EventKind::kRelease, at->second, event.object, Order::kPlain, 0);
          at->second = me;
        }
        break;
      }
      case EventKind::kRelease:
        owners_.erase(event.object);
        break;
      default:
        break;
    }
    if (event.kind != EventKind::kThreadEnd && event.kind != EventKind::kJoin) there_.insert(me);
    batch_.push_back(event);
  }

  RecordReader& reader_;
  const Tables& tables_;
  std::vector<Event> batch_;
  std::set<std::uint32_t> there_;                            // threads that may do something yet
  std::unordered_map<std::uint64_t, std::uint32_t> owners_;  // of locks
};

// Keeps the races in shared memory between threads of different processes.
class BetweenSink final : public FindingSink {
 public:
  explicit BetweenSink(const Tables& tables) : tables_(tables) {}
  void on_race(const Race& race) override {
    const std::uint32_t a = raw(race.first.thread);
    const std::uint32_t b = raw(race.second.thread);
    if (a >= tables_.threads.size() || b >= tables_.threads.size()) return;
    if (tables_.threads[a].process == tables_.threads[b].process) return;
    if (memory_of(tables_, raw(race.addr)) == nullptr) return;
    kept.on_race(race);
  }
  RaceCollector kept;

 private:
  const Tables& tables_;
};

// Names for everything, looked up once.
class Names {
 public:
  Names(const RecordReader& reader, const Tables& tables, symbolize::Symbolizer& symbolizer)
      : tables_(tables), symbolizer_(symbolizer) {
    std::map<std::uint32_t, std::vector<std::string>> texts;
    for (std::size_t i = 0; i < reader.maps().size(); ++i) {
      texts[reader.maps_owners()[i]].push_back(reader.maps()[i]);
    }
    for (const auto& [process, of_it] : texts) maps_[process] = merged_maps(of_it);
    for (std::size_t i = 0; i < reader.contexts().size(); ++i) {
      const wire::RecordedContext& one = reader.contexts()[i];
      // Callers are recorded first: so there are no cycles.
      if (one.id == 0 || one.parent >= one.id) continue;
      contexts_.try_emplace(one.id, Context{one.parent, reader.context_owners()[i], one.pc});
    }
    for (std::uint32_t i = 0; i < tables.threads.size(); ++i) {
      sources_.name_thread(ThreadId{i}, thread_name(i));
    }
    for (std::size_t i = 0; i < tables.memories.size(); ++i) {
      const wire::BetweenMemory& one = tables.memories[i];
      const std::uint64_t begin = std::uint64_t{i + 1} << wire::kMemoryShift;
      if (one.size == 0 || one.size >> wire::kMemoryShift != 0) continue;
      sources_.add_region(
          {Addr{begin}, one.size, RegionKind::kShared, memory_name(one), kNoSource});
    }
  }

  const Sources& sources() const { return sources_; }

  // Of an event that will be spoken of, perhaps.
  void use(const Event& event) {
    define(raw(event.source));
    const bool of_lock = event.kind == EventKind::kAcquire || event.kind == EventKind::kRelease ||
                         event.kind == EventKind::kAcquireShared ||
                         event.kind == EventKind::kReleaseShared;
    if (!of_lock || !locks_.insert(event.object).second) return;
    if (const wire::BetweenMemory* memory = memory_of(tables_, event.object); memory != nullptr) {
      sources_.name_lock(event.lock(), "the lock at " + memory_name(*memory) + "+" +
                                           std::to_string(offset_of(event.object)));
    } else {
      const std::uint32_t process = tables_.threads[raw(event.thread)].process;
      sources_.name_lock(event.lock(), "a lock of process " + pid_of(process));
    }
  }

  Stack stack(SourceId source) {
    std::vector<RawFrame> frames;
    for (std::uint32_t id = raw(source); id != 0;) {
      const auto at = contexts_.find(id);
      if (at == contexts_.end()) break;
      for (const RawFrame& frame : resolved(at->second)) frames.push_back(frame);
      id = at->second.parent;
    }
    return cut(std::move(frames));
  }

  static std::uint64_t offset_of(std::uint64_t object) {
    return object & ((std::uint64_t{1} << wire::kMemoryShift) - 1);
  }

 private:
  struct Context {
    std::uint32_t parent = 0;
    std::uint32_t process = 0;
    std::uint64_t pc = 0;
  };

  std::string pid_of(std::uint32_t process) const {
    return process < tables_.processes.size() ? std::to_string(tables_.processes[process].pid)
                                              : "?";
  }

  std::string thread_name(std::uint32_t i) const {
    const Tables::Thread& thread = tables_.threads[i];
    std::string text = thread.name;
    // Of a forked process only the thread that forked is there, whatever its number was.
    if (text.empty() && thread.number != 0) text = "thread " + std::to_string(thread.number);
    text += (text.empty() ? "process " : " of process ") + pid_of(thread.process);
    if (thread.process >= tables_.processes.size()) return text;
    const std::uint32_t parent = tables_.processes[thread.process].parent;
    return parent == 0 ? text : text + ", child of " + pid_of(parent - 1);
  }

  std::string memory_name(const wire::BetweenMemory& memory) const {
    if (memory.device == wire::kAnonymousDevice) return "anonymous shared memory";
    if (memory.device == wire::kSegmentDevice) {
      return "System V segment " + std::to_string(memory.inode);
    }
    const auto map = maps_.find(memory.process);
    if (map == maps_.end()) return "shared file";
    const std::uint64_t last = memory.seen_at + memory.size - 1;
    const symbolize::Mapping* found = map->second.find(last);
    return found == nullptr || found->end <= last ? "shared file" : found->path;
  }

  const std::vector<RawFrame>& resolved(const Context& context) {
    const auto [it, is_new] = frames_.try_emplace({context.process, context.pc});
    if (!is_new) return it->second;
    const symbolize::ProcessMap& map = maps_[context.process];
    const std::uint64_t pc = context.pc;
    if ((pc & wire::kExactPc) != 0) {
      it->second.push_back({symbolizer_.function(map, pc & ~wire::kExactPc), true});
    } else if (pc != 0) {
      for (CodeFrame& frame : symbolizer_.frames(map, pc - 1)) {
        it->second.push_back({std::move(frame), false});
      }
    }
    return it->second;
  }

  // The innermost frame of a context, for the picture; the stacks of the sides are made by stack().
  void define(std::uint32_t id) {
    const auto at = contexts_.find(id);
    if (at == contexts_.end() || sources_.node(SourceId{id}) != nullptr) return;
    const Stack frames = stack(SourceId{id});
    const auto known = std::find_if(frames.begin(), frames.end(),
                                    [](const CodeFrame& one) { return !one.file.empty(); });
    sources_.define(SourceId{id}, known == frames.end() ? Frame{} : static_cast<Frame>(*known));
  }

  const Tables& tables_;
  symbolize::Symbolizer& symbolizer_;
  Sources sources_;
  std::map<std::uint32_t, symbolize::ProcessMap> maps_;
  std::unordered_map<std::uint32_t, Context> contexts_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<RawFrame>> frames_;
  std::set<std::uint64_t> locks_;
};

// From the objects of the recording to addresses as the first process to tell of the memory saw them.
void place(Finding& finding, const Tables& tables) {
  const auto to_address = [&tables](Addr& addr) {
    if (const wire::BetweenMemory* memory = memory_of(tables, raw(addr)); memory != nullptr) {
      addr = Addr{memory->seen_at + Names::offset_of(raw(addr))};
    }
  };
  to_address(finding.addr);
  to_address(finding.memory.addr);
  to_address(finding.first.access.addr);
  to_address(finding.second.access.addr);
}

}  // namespace

BetweenReplay replay_between(std::span<const std::byte> file, symbolize::Symbolizer& symbolizer) {
  BetweenReplay replay;
  if (file.empty()) return replay;
  const std::optional<BetweenTables> tables = read_tables(file);
  if (tables) {
    return replay_between(*tables, file.subspan(wire::kBetweenHeaderBytes),
                          wire::kBetweenChunkBytes, symbolizer);
  }
  replay.note = "what processes recorded in common is not such a recording";
  return replay;
}

BetweenReplay replay_between(const BetweenTables& tables, std::span<const std::byte> chunks,
                             std::size_t chunk_bytes, symbolize::Symbolizer& symbolizer) {
  BetweenReplay replay;
  replay.processes = tables.processes.size();
  RecordReader reader = RecordReader::over(chunks, chunk_bytes);
  BetweenSink sink(tables);
  PageResource memory;
  DetectorOptions options;
  options.memory = &memory;
  options.sink = &sink;
  {
    const std::unique_ptr<Detector> detector = find_detector(kDefaultDetector)->make(options);
    Stream stream(reader, tables);
    for (std::span<const Event> events = stream.next(); !events.empty(); events = stream.next()) {
      detector->on_events(events, EventIndex{replay.events});
      replay.events += events.size();
    }
    detector->finish();
  }
  const std::string lost = reader.faults().text();
  if (!lost.empty()) replay.note = "of what processes recorded in common was lost: " + lost;
  std::vector<CollectedRace> races = sink.kept.races();
  if (races.empty()) return replay;

  Names names(reader, tables, symbolizer);
  Explainer explainer(std::move(races));
  Stream stream(reader, tables);
  std::uint64_t at = 0;
  while (!explainer.done()) {
    const std::span<const Event> events = stream.next();
    if (events.empty()) break;
    for (const Event& event : events) names.use(event);
    explainer.on_events(events, EventIndex{at}, names.sources());
    at += events.size();
  }
  replay.findings = explainer.finish();
  for (Finding& finding : replay.findings) {
    finding.first.stack = names.stack(finding.first.access.source);
    finding.second.stack = names.stack(finding.second.access.source);
    place(finding, tables);
    const std::uint32_t process = tables.threads[raw(finding.second.access.thread)].process;
    replay.pids.push_back(tables.processes[process].pid);
  }
  return replay;
}

}  // namespace redflag::collect
