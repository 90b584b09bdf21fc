// Names of C++ as a person reads them: `std::map<std::string, int>::insert` where the compiler's
// name says every default argument and inline namespace.
//
// All functions take a demangled name, work on its text alone and never fail: what is not a C++
// name, or has brackets that do not match, comes back as it is. The short form is for people; files
// that programs read keep the whole name. Limits: an argument is left out only where the standard
// says that it is the default (allocators, char_traits, less, equal_to, hash, default_delete of the
// very types that stand before it); typedefs of the program are unknown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace redflag {

// Without return type and parameters: "void ns::f<int>(int) const" is ns::f<int>, and a lambda is
// main::{lambda()#1}::operator().
std::string_view qualified_name(std::string_view function);

// A function made from a template, or a member of a class that was.
bool is_template(std::string_view function);

// Of a type or variable: no inline namespaces (std::__cxx11, std::__1, cuda::__4), no arguments
// that are the defaults, std::string for what it stands for.
std::string short_name(std::string_view name);

// Of a function: the same without the return type. Names above `most` characters lose their
// parameters first, then their template arguments, then the middle.
inline constexpr std::size_t kMostFunctionName = 100;
std::string short_function(std::string_view name, std::size_t most = kMostFunctionName);

}  // namespace redflag
