#include "cli/gpu.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/arguments.h"

namespace redflag::cli {
namespace {

// A driver that has to start its device takes seconds.
constexpr int kPatienceMilliseconds = 20'000;
constexpr char kYes = 'y';

// In the child. One byte for the answer, then its text.
std::string ask_driver() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return "nno driver (libcuda.so.1)";
  const auto find = [&](const char* name) { return ::dlsym(driver, name); };
  const auto init = reinterpret_cast<int (*)(unsigned)>(find("cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(find("cuDeviceGetCount"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(find("cuDeviceGetName"));
  if (init == nullptr || count == nullptr) return "nlibcuda.so.1 is no driver";
  if (const int fault = init(0); fault != 0) {
    return "nthe driver does not start: error " + std::to_string(fault) + " of cuInit";
  }
  int devices = 0;
  if (count(&devices) != 0 || devices == 0) return "nthe driver knows no GPU";
  std::array<char, 128> text{};
  if (name != nullptr) (void)name(text.data(), static_cast<int>(text.size()) - 1, 0);
  return kYes + std::string(text[0] == '\0' ? "GPU" : text.data()) +
         (devices > 1 ? " and " + std::to_string(devices - 1) + " more" : "");
}

std::string read_answer(int from) {
  std::string answer;
  std::array<char, 256> part{};
  pollfd wait{.fd = from, .events = POLLIN, .revents = 0};
  while (::poll(&wait, 1, kPatienceMilliseconds) > 0) {
    const ssize_t got = ::read(from, part.data(), part.size());
    if (got <= 0) break;
    answer.append(part.data(), static_cast<std::size_t>(got));
  }
  return answer;
}

}  // namespace

GpuFound find_gpu() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {false, std::strerror(errno)};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::string answer = ask_driver();
    (void)!::write(ends[1], answer.data(), answer.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return {false, std::strerror(errno)};
  }
  const std::string answer = read_answer(ends[0]);
  ::close(ends[0]);
  if (answer.empty()) ::kill(child, SIGKILL);
  int status = 0;
  (void)::waitpid(child, &status, 0);
  if (answer.empty()) return {false, "the driver does not answer"};
  return {answer[0] == kYes, answer.substr(1)};
}

Kernels where_kernels_run(const Arguments& arguments) {
  if (arguments.flag("emulate")) return Kernels::kEmulated;
  if (find_gpu().present) return Kernels::kOnGpu;
  return arguments.is_set("emulate") ? Kernels::kUnchecked : Kernels::kEmulated;
}

}  // namespace redflag::cli
