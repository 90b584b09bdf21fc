#include "core/base/cxx_name.h"

#include <gtest/gtest.h>

#include <string>

namespace redflag {
namespace {

TEST(CxxName, TheQualifiedNameIsWithoutTypesAround) {
  const struct {
    const char* whole;
    const char* name;
  } kCases[] = {
      {"main", "main"},
      {"deposit(long)", "deposit"},
      {"void std::__invoke_impl<void, int (*)(int)>(std::__invoke_other, int (*&&)(int))",
       "std::__invoke_impl<void, int (*)(int)>"},
      {"unsigned long ns::f<int>(int) const", "ns::f<int>"},
      {"main::{lambda()#1}::operator()() const", "main::{lambda()#1}::operator()"},
      {"run(int)::{lambda(int)#2}::operator()(int) const", "run(int)::{lambda(int)#2}::operator()"},
      {"Bank::audit() const::Local::go()", "Bank::audit() const::Local::go"},
      {"(anonymous namespace)::worker(void*)", "(anonymous namespace)::worker"},
      {"operator new(unsigned long)", "operator new"},
      {"Flag::operator bool() const", "Flag::operator bool"},
      {"bool operator< <int>(T<int> const&, T<int> const&)", "operator< <int>"},
      {"std::ostream& operator<<(std::ostream&, Money const&)", "operator<<"},
      {"Matrix operator*(Matrix const&, double)", "operator*"},
      {"", ""},
      {"broken<(", "broken<("},
  };
  for (const auto& one : kCases) EXPECT_EQ(qualified_name(one.whole), one.name) << one.whole;
}

TEST(CxxName, TemplatesAreKnownByTheirBrackets) {
  EXPECT_TRUE(is_template("void f<int>(int)"));
  EXPECT_TRUE(is_template("Queue<int>::push(int)"));
  EXPECT_TRUE(is_template("bool operator< <int>(T<int> const&, T<int> const&)"));
  EXPECT_FALSE(is_template("push(std::vector<int>&)")) << "a parameter makes no template";
  EXPECT_FALSE(is_template("std::vector<int> make()")) << "nor does what it returns";
  EXPECT_FALSE(is_template("Money::operator<(Money const&) const"));
  EXPECT_FALSE(is_template("operator<<(std::ostream&, Money const&)"));
  EXPECT_FALSE(is_template("Node::operator->() const"));
}

TEST(CxxName, DefaultsAndInlineNamespacesAreLeftOut) {
  const std::string string =
      "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  EXPECT_EQ(short_name(string), "std::string");
  EXPECT_EQ(short_name("std::vector<" + string + ", std::allocator<" + string + " > >"),
            "std::vector<std::string>");
  EXPECT_EQ(
      short_name("std::map<int, " + string +
                 ", std::less<int>, std::allocator<std::pair<int const, " + string + " > > >"),
      "std::map<int, std::string>");
  EXPECT_EQ(short_name("std::set<int, std::less<void>, std::allocator<int> >"),
            "std::set<int, std::less<void>>")
      << "not the default";
  EXPECT_EQ(short_name("std::unique_ptr<Node, std::default_delete<Node> >"),
            "std::unique_ptr<Node>");
  EXPECT_EQ(short_name("std::__1::basic_string<char, std::__1::char_traits<char>, "
                       "std::__1::allocator<char>>"),
            "std::string");
  EXPECT_EQ(short_name("cuda::__4::atomic<int, (cuda::std::__4::__detail::thread_scope)1>"),
            "cuda::atomic<int, (cuda::std::__detail::thread_scope)1>");
  EXPECT_EQ(short_name("mine::Pool<int, std::allocator<int> >"),
            "mine::Pool<int, std::allocator<int>>")
      << "what a program's own template has for a default is unknown";
  EXPECT_EQ(short_name("std::chrono::_V2::system_clock"), "std::chrono::system_clock");
  EXPECT_EQ(short_name("balance"), "balance");
  EXPECT_EQ(short_name("guard variable for f()::table"), "guard variable for f()::table");
}

TEST(CxxName, FunctionsLoseTheirReturnType) {
  EXPECT_EQ(
      short_function("void std::__invoke_impl<void, void (*)(int), int>(std::__invoke_other, "
                     "void (*&&)(int), int&&)"),
      "std::__invoke_impl<void, void (*)(int), int>(std::__invoke_other, void (*&&)(int), int&&)");
  EXPECT_EQ(short_function("main::{lambda()#1}::operator()() const"), "main::{lambda()#1}() const");
  EXPECT_EQ(short_function("main::$_12::operator()() const"), "main::$_12() const");
  EXPECT_EQ(short_function("Job::operator()() const"), "Job::operator()() const");
  EXPECT_EQ(short_function("name[abi:cxx11](int)"), "name(int)");
  EXPECT_EQ(short_function("deposit(long)"), "deposit(long)");
  EXPECT_EQ(short_function("operator new(unsigned long)"), "operator new(unsigned long)");
}

TEST(CxxName, WhatIsTooLongLosesParametersThenArgumentsThenTheMiddle) {
  EXPECT_EQ(short_function("ns::f<alpha, beta>(gamma, delta)", 24), "ns::f<alpha, beta>(...)");
  EXPECT_EQ(short_function("ns::f<alpha, beta>(gamma, delta)", 16), "ns::f<...>(...)");
  EXPECT_EQ(short_function(std::string(300, 'a') + "z", 21),
            std::string(9, 'a') + "..." + std::string(8, 'a') + "z");
  EXPECT_EQ(short_function("(anonymous namespace)::work(std::vector<int>&)", 36),
            "(anonymous namespace)::work(...)");
}

TEST(CxxName, NothingBreaksIt) {
  for (const char* text : {"<", ">", "a<b", "a>b", "operator", "operator<", "operator(", "a<b(c>d)",
                           "[abi:", "::__1::", "f(", ")", "}::operator()", "<<<<<<>>>>>>"}) {
    (void)qualified_name(text);
    (void)is_template(text);
    (void)short_name(text);
    EXPECT_LE(short_function(text, 10).size(), 20U) << text;
  }
  std::string deep;
  for (int i = 0; i < 500; ++i) deep += "a<";
  deep += std::string(500, '>');
  EXPECT_EQ(short_name(deep), deep);
}

}  // namespace
}  // namespace redflag
