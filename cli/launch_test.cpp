#include "cli/launch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

namespace redflag::cli {
namespace {

void wait_for(Launch& launch) {
  while (!launch.ended()) {
    pollfd ready{launch.descriptor(), POLLIN, 0};
    if (::poll(&ready, 1, -1) > 0) launch.on_ready();
  }
}

// "cat" lasts until its input ends, which the test has in hand.
const std::vector<std::string> kCat{"cat"};

// A process that a job's launcher has started: it starts a program apart, and whoever goes on in it reports by a
// pipe how that ended.
class Apart : public ::testing::Test {
 protected:
  ~Apart() override {
    for (const int fd : {input_[0], input_[1], report_[0], report_[1]}) {
      if (fd >= 0) ::close(fd);
    }
  }
  void start(const std::string& path, const std::vector<std::string>& words) {
    ASSERT_EQ(::pipe2(input_.data(), O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(report_.data(), O_CLOEXEC), 0);
    known_ = ::fork();
    if (known_ == 0) {
      ::setpgid(0, 0);
      ::dup2(input_[0], STDIN_FILENO);
      ::close(input_[1]);
      const pid_t known = ::getpid();
      Result<Launch> launch = Launch::start_apart(path, words, {});
      std::string said = launch ? "started" : launch.error().message;
      said += ::getpid() == known || ::getpgrp() == known ? " not apart" : "";
      tell(said + ";");
      if (launch) {
        wait_for(*launch);
        tell("status " + std::to_string(launch->status()) +
             (launch->asked_to_end() ? " asked" : "") + ";");
      }
      ::_exit(7);
    }
    close_one(input_[0]);
    close_one(report_[1]);
  }
  void tell(const std::string& text) const { (void)!::write(report_[1], text.data(), text.size()); }
  static void close_one(int& fd) {
    ::close(fd);
    fd = -1;
  }
  std::string heard(std::size_t sentences) {
    std::string text;
    for (char c = 0; sentences > 0 && ::read(report_[0], &c, 1) == 1; text += c) {
      sentences -= c == ';' ? 1 : 0;
    }
    return text;
  }
  int status_of_known() const {
    int status = 0;
    EXPECT_EQ(::waitpid(known_, &status, 0), known_);
    return status;
  }

  std::array<int, 2> input_{-1, -1};
  std::array<int, 2> report_{-1, -1};
  pid_t known_ = -1;
};

TEST_F(Apart, TheProcessThatIsKnownEndsAsTheOtherOne) {
  start("/bin/sh", {"sh", "-c", "exit 5"});
  EXPECT_EQ(heard(2), "started;status 5;");
  const int status = status_of_known();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(Apart, ASignalGoesToTheProgram) {
  start("/bin/cat", kCat);
  ASSERT_EQ(heard(1), "started;");
  ::kill(known_, SIGTERM);
  EXPECT_EQ(heard(1), "status 143 asked;");
  EXPECT_EQ(WEXITSTATUS(status_of_known()), 7);
}

TEST_F(Apart, WhatIsLeftOfAKilledGroupIsTheReport) {
  start("/bin/cat", kCat);
  ASSERT_EQ(heard(1), "started;");
  ::kill(-known_, SIGKILL);
  EXPECT_EQ(WTERMSIG(status_of_known()), SIGKILL);
  EXPECT_EQ(heard(1), "status 137 asked;");
}

TEST_F(Apart, AProgramThatOutlivesItsParentIsWaitedFor) {
  start("/bin/cat", kCat);
  ASSERT_EQ(heard(1), "started;");
  ::kill(known_, SIGKILL);
  (void)status_of_known();
  pollfd report{report_[0], POLLIN, 0};
  EXPECT_EQ(::poll(&report, 1, 50), 0) << "the program has not ended";
  close_one(input_[1]);
  EXPECT_EQ(heard(1), "status 137 asked;");
}

TEST_F(Apart, WhyItCannotBeStartedIsTold) {
  start("/no/such/file", {"file"});
  EXPECT_EQ(heard(1), "/no/such/file: cannot start it: No such file or directory;");
  EXPECT_EQ(WEXITSTATUS(status_of_known()), 7);
}

}  // namespace
}  // namespace redflag::cli
