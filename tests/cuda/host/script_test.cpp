// Scripts against a machine that only writes down what it is told.
#include "tests/cuda/host/script.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace redflag::script {
namespace {

class Notes : public Machine {
 public:
  std::vector<std::string> told;

  std::string allocate(int, std::uint64_t bytes, bool managed, void** address) override {
    memory_.push_back(std::make_unique<std::byte[]>(bytes));
    *address = memory_.back().get();
    return note((managed ? "managed " : "buffer ") + std::to_string(bytes));
  }
  std::string find_symbol(const std::string& name, std::uint64_t, void** address) override {
    memory_.push_back(std::make_unique<std::byte[]>(64));
    *address = memory_.back().get();
    return note("symbol " + name);
  }
  std::string launch(int line, const LaunchPlan& plan) override {
    std::string text = std::to_string(line) + " " + plan.kernel;
    for (const std::uint32_t d : plan.grid) text += " " + std::to_string(d);
    for (const std::uint32_t d : plan.block) text += " " + std::to_string(d);
    text +=
        " shared " + std::to_string(plan.shared_bytes) + " stream " + std::to_string(plan.stream);
    if (plan.cooperative) text += " cooperative";
    if (plan.cluster > 1) text += " cluster " + std::to_string(plan.cluster);
    arguments = plan.arguments;
    return note(text);
  }
  std::string upload(int, void* to, const void* from, std::uint64_t bytes, int stream) override {
    std::memcpy(to, from, bytes);
    return stream == 0 ? "" : note("upload on " + std::to_string(stream));
  }
  std::string download(int, void*, const void*, std::uint64_t, int stream) override {
    return note("download on " + std::to_string(stream));
  }
  std::string set(int, void* at, int value, std::uint64_t bytes, int stream) override {
    std::memset(at, value, bytes);
    return note("memset on " + std::to_string(stream));
  }
  std::string create_image(int line, const ImagePlan& plan, void** image) override {
    return allocate(line, plan.count() * size_of(plan.type), false, image);
  }
  std::string create_object(const ObjectPlan& plan, std::uint64_t* handle) override {
    *handle = ++objects_;
    std::string text = plan.is_surface ? "surface" : "texture";
    text += plan.is_image ? " of an image" : " of memory";
    if (plan.filters) text += " linear";
    if (plan.normalized) text += " normalized";
    if (plan.as_float) text += " float";
    return note(text + " mode " + std::to_string(plan.mode));
  }
  std::string upload_image(int line, void* to, const void* from, const ImagePlan& plan,
                           int stream) override {
    return upload(line, to, from, plan.count() * size_of(plan.type), stream);
  }
  std::string download_image(int line, void* to, void* from, const ImagePlan& plan,
                             int stream) override {
    return download(line, to, from, plan.count() * size_of(plan.type), stream);
  }
  std::string peek_image(void* to, void* from, const ImagePlan& plan) override {
    std::memcpy(to, from, plan.count() * size_of(plan.type));
    return {};
  }
  std::string host_access(int line, void*, std::uint64_t bytes, bool writes) override {
    return note(std::to_string(line) + (writes ? " writes " : " reads ") + std::to_string(bytes));
  }
  std::string create_stream(int stream) override {
    return note("stream " + std::to_string(stream));
  }
  std::string create_event(int event) override { return note("event " + std::to_string(event)); }
  std::string record(int event, int stream) override { return note(pair("record", event, stream)); }
  std::string stream_waits(int event, int stream) override {
    return note(pair("await", event, stream));
  }
  std::string sync_event(int event) override { return note("sync event " + std::to_string(event)); }
  std::string sync_stream(int stream) override {
    return note("sync stream " + std::to_string(stream));
  }
  std::string sync_device() override { return note("sync device"); }
  std::string peek(void* to, const void* from, std::uint64_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }

  std::vector<Argument> arguments;

 private:
  static std::string pair(const std::string& what, int event, int stream) {
    return what + " " + std::to_string(event) + " on " + std::to_string(stream);
  }
  std::string note(std::string text) {
    told.push_back(std::move(text));
    return {};
  }
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::uint64_t objects_ = 0;
};

using Told = std::vector<std::string>;

TEST(Script, TellsTheMachineInOrder) {
  Notes notes;
  EXPECT_EQ(run({"let n = 8  # eight\n"
                 "buffer a int 2 * n\n"
                 "stream s\n"
                 "event e\n"
                 "launch cooperative k<<<{n, 2}, n / 3, 4 * (n + 1), s>>>(a, n)\n"
                 "record e on s\n"
                 "await e on s\n"
                 "sync e\n"
                 "sync s\n"
                 "sync device",
                 10},
                {}, notes),
            "");
  EXPECT_EQ(notes.told, (Told{"buffer 64", "stream 1", "event 1",
                              "14 k 8 2 1 2 1 1 shared 36 stream 1 cooperative", "record 1 on 1",
                              "await 1 on 1", "sync event 1", "sync stream 1", "sync device"}));
}

TEST(Script, ArgumentsArePointersAndNumbers) {
  Notes notes;
  EXPECT_EQ(
      run({"buffer a short 4 = index\nlaunch k<<<1, 1>>>(a + 3, -2, float 1.5, double 0.25)", 1},
          {}, notes),
      "");
  ASSERT_EQ(notes.arguments.size(), 4U);
  void* pointer = nullptr;
  std::memcpy(&pointer, notes.arguments[0].bytes.data(), sizeof pointer);
  EXPECT_EQ(load(Type::kShort, pointer), 3);
  EXPECT_EQ(load(Type::kInt, notes.arguments[1].bytes.data()), -2);
  EXPECT_EQ(load(Type::kFloat, notes.arguments[2].bytes.data()), 1.5);
  EXPECT_EQ(load(Type::kDouble, notes.arguments[3].bytes.data()), 0.25);
}

TEST(Script, ImagesAndTheirObjects) {
  Notes notes;
  EXPECT_EQ(run({"image a float 4 2 = index\nimage b int 4 0 3\nbuffer c uint 8\n"
                 "texture t a linear wrap normalized\ntexture u c float\nsurface s b\n"
                 "launch k<<<1, 1>>>(s, t)\nexpect a == index\nexpect sum(b) == 0",
                 1},
                {}, notes),
            "");
  EXPECT_EQ(notes.told,
            (Told{"buffer 32", "buffer 48", "buffer 32",
                  "texture of an image linear normalized mode 0", "texture of memory float mode 1",
                  "surface of an image mode 1", "7 k 1 1 1 1 1 1 shared 0 stream 0"}));
  ASSERT_EQ(notes.arguments.size(), 2U);
  EXPECT_EQ(load(Type::kLong, notes.arguments[0].bytes.data()), 3);
  EXPECT_EQ(load(Type::kLong, notes.arguments[1].bytes.data()), 1);
}

TEST(Script, RepeatsWithACounter) {
  Notes notes;
  EXPECT_EQ(run({"repeat 2 as i\nrepeat 2\nlaunch k<<<i + 1, 1>>>()\nend\nend\nsync device", 1}, {},
                notes),
            "");
  ASSERT_EQ(notes.told.size(), 5U);
  EXPECT_EQ(notes.told[1], "3 k 1 1 1 1 1 1 shared 0 stream 0");
  EXPECT_EQ(notes.told[3], "3 k 2 1 1 1 1 1 shared 0 stream 0");
}

TEST(Script, GivenValuesWin) {
  Notes notes;
  EXPECT_EQ(run({"let n = 8\nbuffer a char n", 1}, {{"n", 5}}, notes), "");
  EXPECT_EQ(notes.told, Told{"buffer 5"});
}

TEST(Script, ChecksExpectations) {
  const auto fault = [](const char* text) {
    Notes notes;
    return run({text, 1}, {}, notes);
  };
  EXPECT_EQ(
      fault("buffer a int 4 = index\nexpect a == index\nexpect sum(a) == 6\nexpect a[2] <= 2"), "");
  EXPECT_EQ(fault("buffer a int 4 = 7\nexpect a[2] == 8"), "2: expected == 8, found 7 at [2]");
  EXPECT_EQ(fault("buffer a int 4 = index\nexpect a != 3"), "2: expected != 3, found 3 at [3]");
  EXPECT_EQ(fault("buffer a double 2 = 0.5\nexpect sum(a) >= 2"),
            "2: expected >= 2, found the sum 1");
  EXPECT_EQ(fault("managed a int 1\nhost_write a[0] = 4\nhost_read a[0]\nexpect a == 4"), "");
}

TEST(Script, SaysWhatIsWrongAndWhere) {
  const auto fault = [](const char* text) {
    Notes notes;
    return run({text, 1}, {}, notes);
  };
  EXPECT_EQ(fault("\nfrob a"), "2: no statement begins with 'frob'");
  EXPECT_EQ(fault("buffer a int n"), "1: 'n' is not known: let n = ...");
  EXPECT_EQ(fault("buffer a word 3"), "1: 'word' is not a type");
  EXPECT_EQ(fault("launch k<<<1>>>()"), "1: needs ',' before '>>>()'");
  EXPECT_EQ(fault("buffer a int 3\nhost_read a[3]"), "2: the index is outside of the buffer");
  EXPECT_EQ(fault("sync device now"), "1: more follows than the statement has");
  EXPECT_EQ(fault("sync device\nrepeat 3\nsync device"), "2: repeat without end");
  EXPECT_EQ(fault("let n = 1 / 0"), "1: divides by zero");
  EXPECT_EQ(fault("buffer a int 3\nsurface s a"), "2: a surface is of an image");
  EXPECT_EQ(fault("buffer a int 3\ntexture t a soft"), "2: a texture is not 'soft'");
  EXPECT_EQ(fault("image a int 3 1\nmemset a 0"), "2: an image cannot be set");
}

TEST(Script, IsFoundInASource) {
  const Text found = find_script("int x;\nconst char* script = R\"(\nsync device\n)\";\n");
  EXPECT_EQ(found.line, 2);
  EXPECT_EQ(found.text, "\nsync device\n");
  EXPECT_EQ(find_script("int x;").line, 0);
}

}  // namespace
}  // namespace redflag::script
