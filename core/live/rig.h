// Rig: a detector of a test's own, and all races it has told of.
//
// The detector only ever sees addresses, so tests make them up: nothing is behind kMemory. Threads
// are live::Thread objects; a test may play several on one system thread, or give each its own.
#pragma once

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/live/detector.h"

namespace redflag::live {

inline constexpr std::uint64_t kMemory = std::uint64_t{1} << 38;
inline constexpr std::uint64_t kLocks = std::uint64_t{1} << 37;  // where no plain access goes
inline constexpr std::uint64_t kBlock = std::uint64_t{1} << 14;  // some pages

class Rig {
 public:
  Rig() : detector_(static_cast<Detector*>(os_map(sizeof(Detector)))) {
    present() = this;
    detector_->init(&Rig::on_race, 64);
  }
  ~Rig() {
    detector_->destroy();
    os_unmap(detector_, sizeof(Detector));
    present() = nullptr;
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  Detector& operator*() { return *detector_; }
  Detector* operator->() { return detector_; }

  // A thread in one call: accesses have contexts then.
  Thread& thread(std::uint32_t number, Thread* parent = nullptr) {
    Thread* t = detector_->create(parent, number);
    *t->own_hot.top++ = {0x1000, 0, 0};
    return *t;
  }

  struct Told {
    LiveRace race;
    std::uint32_t by;       // number of the thread that made the later access
    std::uint32_t earlier;  // and of the other
  };
  std::vector<Told> take_races() {
    const std::lock_guard guard(mutex_);
    return std::move(races_);
  }
  // How often each byte was told of.
  static std::map<std::uint64_t, int> bytes_of(const std::vector<Told>& races) {
    std::map<std::uint64_t, int> bytes;
    for (const Told& told : races) {
      for (std::uint64_t k = 0; k < told.race.size; ++k) ++bytes[told.race.addr + k];
    }
    return bytes;
  }
  // For messages: empty when there are none.
  static std::string words(const std::vector<Told>& races) {
    std::string s;
    for (const Told& told : races) {
      const LiveRace& r = told.race;
      if (s.size() > 1000) return s + "...";
      s += "thread " + std::to_string(told.by) + (wrote(r.kind) ? " writes" : " reads") + " +" +
           std::to_string(r.addr - kMemory) + " size " + std::to_string(r.size) + ", thread " +
           std::to_string(told.earlier) + (r.earlier_wrote ? " wrote" : " read") + " it; ";
    }
    return s;
  }

 private:
  static Rig*& present() {
    static Rig* rig = nullptr;
    return rig;
  }
  static void on_race(Thread& t, const LiveRace& race) {
    Rig& me = *present();
    std::uint32_t owner = ~0U;
    me.detector_->slots.owner(race.earlier, owner);
    const std::lock_guard guard(me.mutex_);
    me.races_.push_back({race, t.number, owner});
  }

  Detector* detector_;
  std::mutex mutex_;
  std::vector<Told> races_;
};

inline std::uint64_t seed_of_tests() {
  const char* given = std::getenv("REDFLAG_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

}  // namespace redflag::live
