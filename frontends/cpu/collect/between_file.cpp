// Files with what processes record in common: made for a run, and read when it has ended.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "frontends/cpu/collect/between.h"
#include "frontends/cpu/wire/between.h"

namespace redflag::collect {
namespace {

bool read_at(int fd, std::byte* to, std::size_t size, std::size_t offset) {
  while (size > 0) {
    const ssize_t got = ::pread(fd, to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
    offset += static_cast<std::size_t>(got);
  }
  return true;
}

// A copy: processes that are still there cannot change it while it is looked at.
Result<std::vector<std::byte>> read_all(int fd) {
  std::vector<std::byte> bytes(sizeof(wire::BetweenHeader));
  if (!read_at(fd, bytes.data(), bytes.size(), 0)) {
    return fail("what processes recorded in common cannot be read");
  }
  std::uint32_t chunks = 0;
  std::memcpy(&chunks, bytes.data() + offsetof(wire::BetweenHeader, chunks), sizeof(chunks));
  const std::size_t rest = std::min(chunks, wire::kBetweenChunks) * wire::kBetweenChunkBytes;
  bytes.resize(wire::kBetweenHeaderBytes + rest);
  if (!read_at(fd, bytes.data() + wire::kBetweenHeaderBytes, rest, wire::kBetweenHeaderBytes)) {
    return fail("what processes recorded in common is cut short");
  }
  return bytes;
}

template <typename T>
T load(std::span<const std::byte> file, std::size_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

}  // namespace

Result<BetweenFile> BetweenFile::create() {
  const int fd = ::memfd_create("redflag-between", MFD_CLOEXEC);
  if (fd < 0) return fail(std::string("no memory file: ") + std::strerror(errno));
  BetweenFile file(fd);
  const std::uint32_t magic = wire::kBetweenMagic;
  if (::ftruncate(fd, static_cast<off_t>(wire::kBetweenBytes)) != 0 ||
      ::pwrite(fd, &magic, sizeof(magic), offsetof(wire::BetweenHeader, magic)) != sizeof(magic)) {
    return fail(std::string("no memory file: ") + std::strerror(errno));
  }
  return file;
}

BetweenFile::BetweenFile(BetweenFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

BetweenFile::~BetweenFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string BetweenFile::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_);
}

Result<std::vector<std::byte>> BetweenFile::read() const {
  std::uint32_t active = 0;
  // Mostly nobody wrote anything.
  if (::pread(fd_, &active, sizeof(active), offsetof(wire::BetweenHeader, active)) ==
          sizeof(active) &&
      active == 0) {
    return std::vector<std::byte>{};
  }
  return read_all(fd_);
}

Result<std::vector<std::byte>> read_between(std::uint32_t pid, std::uint32_t fd) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return fail(path + ": " + std::strerror(errno));
  Result<std::vector<std::byte>> bytes = read_all(opened);
  ::close(opened);
  return bytes;
}

std::optional<BetweenTables> read_tables(std::span<const std::byte> file) {
  using Header = wire::BetweenHeader;
  if (file.size() < wire::kBetweenHeaderBytes) return std::nullopt;
  if (load<std::uint32_t>(file, offsetof(Header, magic)) != wire::kBetweenMagic)
    return std::nullopt;
  BetweenTables tables;
  tables.stopped_at = load<std::uint64_t>(file, offsetof(Header, stopped_at));
  const auto count = [&](std::size_t offset, std::uint32_t most) {
    return std::min(load<std::uint32_t>(file, offset), most);
  };
  for (std::uint32_t i = 0; i < count(offsetof(Header, processes), wire::kBetweenProcesses); ++i) {
    const std::size_t at = offsetof(Header, process) + i * sizeof(wire::BetweenProcess);
    tables.processes.push_back(
        {load<std::uint32_t>(file, at + offsetof(wire::BetweenProcess, pid)),
         load<std::uint32_t>(file, at + offsetof(wire::BetweenProcess, parent))});
  }
  for (std::uint32_t i = 0; i < count(offsetof(Header, threads), wire::kBetweenThreads); ++i) {
    const std::size_t at = offsetof(Header, thread) + i * sizeof(wire::BetweenThread);
    BetweenTables::Thread thread;
    thread.process = load<std::uint32_t>(file, at + offsetof(wire::BetweenThread, process));
    thread.number = load<std::uint32_t>(file, at + offsetof(wire::BetweenThread, number));
    char name[sizeof(wire::BetweenThread::name)];
    std::memcpy(name, file.data() + at + offsetof(wire::BetweenThread, name), sizeof(name));
    thread.name.assign(name, ::strnlen(name, sizeof(name)));
    tables.threads.push_back(std::move(thread));
  }
  for (std::uint32_t i = 0; i < count(offsetof(Header, memories), wire::kBetweenMemories); ++i) {
    tables.memories.push_back(load<wire::BetweenMemory>(
        file, offsetof(Header, memory) + i * sizeof(wire::BetweenMemory)));
  }
  return tables;
}

}  // namespace redflag::collect
