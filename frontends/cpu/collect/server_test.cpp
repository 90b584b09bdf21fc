// The server with clients that speak the protocol by hand, well and badly.
#include "frontends/cpu/collect/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace redflag::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string message(wire::Kind kind, const std::string& body) {
  wire::MessageHeader header;
  header.kind = kind;
  header.size = static_cast<std::uint32_t>(body.size());
  header.pid = 1;  // not believed
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + body;
}

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string hello() {
  return message(wire::Kind::kHello, bytes_of(wire::Hello{}));
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest()
      : collector_(options()),
        server_(collector_, [this](std::string_view line) { complaints_.emplace_back(line); }) {}

  CollectorOptions options() {
    CollectorOptions made;
    made.complain = [this](std::string_view line) { complaints_.emplace_back(line); };
    return made;
  }

  // Our end of a connection that the server serves.
  int connect() {
    if (name_.empty()) name_ = *server_.listen();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name_.data() + 1, name_.size() - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address),
                        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size())),
              0);
    server_.serve(-1, 1000);
    return fd;
  }

  void send(int fd, const std::string& bytes) {
    ASSERT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    server_.serve(-1, 1000);
  }

  void close(int fd) {
    ::close(fd);
    server_.serve(-1, 1000);
  }

  std::vector<std::string> complaints_;
  Collector collector_;
  Server server_;
  std::string name_;
};

TEST_F(ServerTest, AWholeConversation) {
  const int fd = connect();
  EXPECT_EQ(server_.connections(), 1U);
  EXPECT_EQ(name_.front(), '@');
  send(fd, hello());
  wire::Bye bye;
  bye.status = 3;
  send(fd, message(wire::Kind::kBye, bytes_of(bye)));
  close(fd);
  EXPECT_EQ(server_.connections(), 0U);
  EXPECT_EQ(server_.processes(), 1U);
  EXPECT_EQ(server_.exit_status(static_cast<std::uint32_t>(::getpid())), 3);
  EXPECT_EQ(server_.exit_status(1), std::nullopt) << "the pid is asked of the kernel";
  EXPECT_THAT(complaints_, IsEmpty());
}

TEST_F(ServerTest, BytesOneByOne) {
  const int fd = connect();
  for (const char c : hello()) send(fd, std::string(1, c));
  EXPECT_EQ(server_.processes(), 1U);
  close(fd);
  EXPECT_THAT(complaints_, IsEmpty());
}

TEST_F(ServerTest, SeveralMessagesAtOnceAndAnEndInTheMiddle) {
  const int fd = connect();
  send(fd, hello() + message(wire::Kind::kBye, bytes_of(wire::Bye{})) + hello().substr(0, 7));
  EXPECT_TRUE(server_.exit_status(static_cast<std::uint32_t>(::getpid())));
  close(fd);
  EXPECT_EQ(server_.connections(), 0U);
  EXPECT_THAT(complaints_, IsEmpty());
}

TEST_F(ServerTest, EveryRaceIsAnswered) {
  const int fd = connect();
  send(fd, hello() + message(wire::Kind::kRace, "this is no race"));
  wire::Reply reply;
  ASSERT_EQ(::recv(fd, &reply, sizeof(reply), MSG_DONTWAIT), static_cast<ssize_t>(sizeof(reply)));
  EXPECT_EQ(reply.magic, wire::kMagic);
  EXPECT_EQ(reply.findings, 0U);
  EXPECT_EQ(server_.connections(), 1U) << "the program goes on";
  close(fd);
}

TEST_F(ServerTest, BreakingTheProtocolEndsTheConnection) {
  wire::MessageHeader large;
  large.size = wire::kMaxMessage + 1;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"GET / HTTP/1.1\r\n\r\n", "is not Redflag's protocol"},
      {message(wire::Kind::kBye, bytes_of(wire::Bye{})), "hello first"},
      {bytes_of(large), "more than 1048576"},
      {hello() + message(static_cast<wire::Kind>(9), ""), "unknown kind 9"},
  };
  const int good = connect();
  for (const auto& [bytes, said] : cases) {
    complaints_.clear();
    const int fd = connect();
    send(fd, bytes);
    EXPECT_THAT(complaints_, ElementsAre(HasSubstr(said)));
    EXPECT_EQ(server_.connections(), 1U);
    char byte = 0;
    EXPECT_LE(::recv(fd, &byte, 1, MSG_DONTWAIT), 0);
    ::close(fd);
  }
  complaints_.clear();
  send(good, hello());
  EXPECT_THAT(complaints_, IsEmpty()) << "the others are served as before";
  close(good);
}

TEST_F(ServerTest, AdoptsOneConnection) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const Result<std::uint32_t> pid = server_.adopt(ends[0]);
  ASSERT_TRUE(pid);
  EXPECT_EQ(*pid, static_cast<std::uint32_t>(::getpid()));
  send(ends[1], hello());
  EXPECT_EQ(server_.processes(), 1U);
  close(ends[1]);
  EXPECT_EQ(server_.connections(), 0U);
  EXPECT_THAT(server_.adopt(-1).error().message, HasSubstr("expected a connected Unix socket"));
}

TEST_F(ServerTest, TellsWhenTheOtherDescriptorIsReady) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(server_.serve(ends[0], 0));
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_TRUE(server_.serve(ends[0], 0));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace redflag::collect
