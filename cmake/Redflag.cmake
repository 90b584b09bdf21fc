# The three ways a folder adds to the build. Explicit DEPS are what keeps the direction of dependencies:
# a target sees the headers of nothing else's libraries, and tests/architecture reads the include graph.

add_library(redflag_options INTERFACE)
target_include_directories(redflag_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(redflag_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor $<$<BOOL:${REDFLAG_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: false -Wrestrict in std::string's operator+.
  target_compile_options(redflag_options INTERFACE -Wno-restrict)
endif()
if(REDFLAG_FUZZ)
  target_compile_options(redflag_options INTERFACE -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(redflag_options INTERFACE -fsanitize=address,undefined)
endif()

# redflag_library(NAME SOURCES ... DEPS ...)
function(redflag_library NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${NAME} STATIC ${ARG_SOURCES})
    target_link_libraries(${NAME} PUBLIC redflag_options ${ARG_DEPS})
  else()
    add_library(${NAME} INTERFACE)
    target_link_libraries(${NAME} INTERFACE redflag_options ${ARG_DEPS})
  endif()
endfunction()

# redflag_test(NAME SOURCES ... DEPS ... [LABELS ...] [TIMEOUT seconds]): one GoogleTest program, one ctest entry.
function(redflag_test NAME)
  if(NOT REDFLAG_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${NAME} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${NAME} COMMAND ${NAME})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABELS)
    set_tests_properties(${NAME} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()

# redflag_fuzzer(NAME SOURCES ... DEPS ...): one libFuzzer target; seeds in tests/fuzz/corpus/NAME.
# ./check builds these in a build tree of their own (REDFLAG_FUZZ=ON) and runs each for a bounded time.
function(redflag_fuzzer NAME)
  if(NOT REDFLAG_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(fuzz_${NAME} ${ARG_SOURCES})
  set_target_properties(fuzz_${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(fuzz_${NAME} PRIVATE ${ARG_DEPS})
  target_link_options(fuzz_${NAME} PRIVATE -fsanitize=fuzzer)
endfunction()

# redflag_runtime_objects(NAME SOURCES ...): a part of libredflag, the library inside checked programs. No exceptions, no RTTI, no
# compiled part of libstdc++ (C programs link it too), thread-locals at a fixed offset; nothing is exported unless it says so.
# The parts are put together in frontends/cpu/CMakeLists.txt.
function(redflag_runtime_objects NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(${NAME} OBJECT ${ARG_SOURCES})
  target_link_libraries(${NAME} PUBLIC redflag_options)
  target_compile_options(${NAME} PRIVATE -O2 -g1 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden
    -fvisibility-inlines-hidden -ftls-model=initial-exec -fno-stack-protector -fomit-frame-pointer -U_FORTIFY_SOURCE
    -fno-builtin -fcf-protection=none)
endfunction()
