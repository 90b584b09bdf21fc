#include "cli/held_threads.h"

#include <csignal>

#include "cli/console.h"
#include "cli/runtime_files.h"
#include "frontends/cpu/wire/between.h"
#include "frontends/cpu/wire/hold.h"

namespace redflag::cli {

Result<std::unique_ptr<HeldThreads>> HeldThreads::prepare(const HeldProgram& program,
                                                          std::chrono::seconds limit) {
  std::unique_ptr<HeldThreads> made(new HeldThreads(program, limit));
  collect::CollectorOptions options;
  options.complain = [](std::string_view line) { print_note(line); };
  options.met = [runs = made.get()](std::uint32_t side, Side who) {
    runs->run_.met[side] = std::move(who);
  };
  made->collector_ = std::make_unique<collect::Collector>(std::move(options));
  made->server_ = std::make_unique<collect::Server>(
      *made->collector_, [](std::string_view line) { print_note(line); });
  const Result<std::string> socket = made->server_->listen();
  if (!socket) return Failure(socket.error());
  made->socket_ = *socket;
  return made;
}

Result<HeldRun> HeldThreads::make(const confirm::Trial&, const HoldBoard& board) {
  run_ = {};
  Result<Launch> launch = Launch::start(program_.path(), program_.words(), environment(board));
  if (!launch) return Failure(launch.error());
  const std::uint64_t before = server_->processes();
  wait_for(*launch);
  if (const auto shared = between_ ? between_->read() : std::vector<std::byte>{};
      shared && !shared->empty()) {
    collector_->on_between(0, *shared);
  }
  run_.seen = collector_->finish();
  run_.asked_to_end = launch->asked_to_end();
  if (board.processes() == 0 && !run_.asked_to_end) {
    return fail(
        server_->processes() == before
            ? "needed: a process that is linked with libredflag\nfound: none was started by " +
                  program_.name()
            : "needed: a libredflag that can hold threads\nfound: " + program_.name() +
                  " is linked with an older one\nto mend it: link it again");
  }
  return std::move(run_);
}

std::vector<std::string> HeldThreads::environment(const HoldBoard& board) {
  std::vector<std::string> made{std::string(wire::kSocketVariable) + "=" + socket_,
                                std::string(wire::kProgramVariable) + "=" + own_path(),
                                std::string(wire::kHoldVariable) + "=" + board.path()};
  // So that memory which processes share has one name; what they record in it is of no interest.
  between_.reset();
  Result<collect::BetweenFile> between = collect::BetweenFile::create();
  if (between) {
    between_.emplace(std::move(*between));
    made.push_back(std::string(wire::kBetweenVariable) + "=" + between_->path());
  }
  return made;
}

// Until the program and all it left behind have ended; with --timeout not longer than that. Of a
// server that stays, the next run is told nothing.
void HeldThreads::wait_for(Launch& launch) {
  using SteadyClock = std::chrono::steady_clock;
  constexpr auto kMostAfter = std::chrono::seconds(3);
  const SteadyClock::time_point begin = SteadyClock::now();
  std::optional<SteadyClock::time_point> ended;
  const auto kill_all = [&] {
    if (limit_.count() == 0) return;
    run_.was_cut = true;
    for (const std::uint32_t pid : server_->pids()) ::kill(static_cast<pid_t>(pid), SIGKILL);
    if (!launch.ended()) ::kill(launch.pid(), SIGKILL);
  };
  while (!launch.ended() || server_->connections() > 0) {
    if (server_->serve(launch.descriptor(), 200)) launch.on_ready();
    if (!launch.ended()) {
      if (SteadyClock::now() - begin > limit_) kill_all();
      continue;
    }
    if (!ended) ended = SteadyClock::now();
    if (!launch.asked_to_end() && SteadyClock::now() - *ended < kMostAfter) continue;
    kill_all();
    break;
  }
  server_->serve(-1, 0);
}

}  // namespace redflag::cli
