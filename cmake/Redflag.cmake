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
  target_compile_options(redflag_options INTERFACE -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer -gline-tables-only)
  target_link_options(redflag_options INTERFACE -fsanitize=address,undefined)
  # -O2 takes half as long again to compile, and fuzzes little faster.
  add_compile_options(-O1)
endif()

# redflag_not_built(WHAT WHY REMEDY): a part of the product that this machine has not the libraries for. ./try shows the list.
function(redflag_not_built WHAT WHY REMEDY)
  message(STATUS "Not built: ${WHAT}: ${WHY} (${REMEDY})")
  set_property(GLOBAL APPEND_STRING PROPERTY REDFLAG_NOT_BUILT "${WHAT}: ${WHY} (${REMEDY})\n")
endfunction()

# Headers cost more than code here: the median source has 96 lines and the standard library's headers 60,000. Sources of a target are
# therefore compiled together, a few at a time; tools/lint still reads every file by itself. What several files of a folder define in
# their anonymous namespaces must have different names; the compiler says so where it has not.
option(REDFLAG_UNITY "compile the sources of a target together: a third of the time" ON)
function(redflag_unity NAME)
  set_target_properties(${NAME} PROPERTIES UNITY_BUILD ${REDFLAG_UNITY} UNITY_BUILD_BATCH_SIZE 10)
endfunction()

# redflag_library(NAME SOURCES ... DEPS ... [APART ...]): APART: of the sources, those that are compiled by themselves. The test of
# the tests puts a mutant's object in the place of each (tests/oracle/mutation.py).
function(redflag_library NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;APART" ${ARGN})
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(ARG_SOURCES)
    add_library(${NAME} STATIC ${ARG_SOURCES})
    target_link_libraries(${NAME} PUBLIC redflag_options ${ARG_DEPS})
    redflag_unity(${NAME})
  else()
    add_library(${NAME} INTERFACE)
    target_link_libraries(${NAME} INTERFACE redflag_options ${ARG_DEPS})
  endif()
endfunction()

# redflag_test(NAME SOURCES ... DEPS ... [LABELS ...] [TIMEOUT seconds] [COST seconds] [APART] [OPTIMIZED]): one GoogleTest program, one
# ctest entry. COST: of a test that takes long, about how long, so that it begins first and no processor waits for it at the end.
# APART: its sources have helpers of the same names, and are compiled one by one. OPTIMIZED: also under sanitizers, since it works
# by code in headers.
function(redflag_test NAME)
  if(NOT REDFLAG_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "APART;OPTIMIZED" "TIMEOUT;COST" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${NAME} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  if(NOT ARG_APART)
    redflag_unity(${NAME})
  endif()
  # What takes time in a test is the code under test. Its own is compiled in two thirds of the time so, and under sanitizers in half.
  if(REDFLAG_FUZZ AND NOT ARG_OPTIMIZED)
    target_compile_options(${NAME} PRIVATE -O0)
  else()
    target_compile_options(${NAME} PRIVATE -O1)
  endif()
  add_test(NAME ${NAME} COMMAND ${NAME})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_COST)
    set_tests_properties(${NAME} PROPERTIES COST ${ARG_COST})
  endif()
  if(ARG_LABELS)
    set_tests_properties(${NAME} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()

# redflag_steady_test(NAME INPUTS path ... [TOOLS program ...] [COST seconds] COMMAND ...): a test that always does the same. It is not run again while
# nothing that decides its outcome has changed (tests/unchanged).
function(redflag_steady_test NAME)
  cmake_parse_arguments(ARG "" "COST" "INPUTS;TOOLS;COMMAND" ${ARGN})
  set(WORDS "")
  foreach(INPUT IN LISTS ARG_INPUTS)
    list(APPEND WORDS --input ${INPUT})
  endforeach()
  foreach(TOOL IN LISTS ARG_TOOLS)
    list(APPEND WORDS --tool ${TOOL})
  endforeach()
  add_test(NAME ${NAME} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/unchanged ${WORDS} -- ${ARG_COMMAND})
  if(ARG_COST)
    set_tests_properties(${NAME} PROPERTIES COST ${ARG_COST})
  endif()
endfunction()

# redflag_fuzzer(NAME SOURCES ... DEPS ...): one libFuzzer target; seeds in tests/fuzz/corpus/NAME.
# ./check builds these in a build tree of their own (REDFLAG_FUZZ=ON) and runs each for a bounded time.
function(redflag_fuzzer NAME)
  if(NOT REDFLAG_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(fuzz_${NAME} ${ARG_SOURCES} keep_input.cpp)
  set_target_properties(fuzz_${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(fuzz_${NAME} PRIVATE ${ARG_DEPS})
  target_link_options(fuzz_${NAME} PRIVATE -fsanitize=fuzzer -Wl,--wrap=_exit)
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

# redflag_device_runtime(NAME SOURCES main.cu ...): code that runs in GPU kernels, as PTX in a library that the host links. Clang alone
# compiles it, no CUDA toolkit: once for sm_75, which every GPU since can run, and once for sm_90, where clusters begin. The sources are one
# translation unit, in this order. Makes the target redflag_device_NAME, which defines
#   std::string_view redflag::device::NAME_ptx(std::uint32_t sm);  // the text for modules of that target
# and the files NAME_75.ptx, NAME_90.ptx in the build folder.
find_program(REDFLAG_DEVICE_CLANG NAMES clang++-19 DOC "compiles device runtimes to PTX")
function(redflag_device_runtime NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  if(NOT REDFLAG_DEVICE_CLANG)
    message(FATAL_ERROR "device runtimes need clang++-19, which is not in PATH: apt install clang-19, or -DREDFLAG_DEVICE_CLANG=PATH")
  endif()
  set(UNIT "")
  foreach(SOURCE IN LISTS ARG_SOURCES)
    string(APPEND UNIT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${SOURCE}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cu CONTENT "${UNIT}")
  set(TEXTS "")
  foreach(TARGET 75:63 90:78)
    string(REPLACE ":" ";" TARGET ${TARGET})
    list(GET TARGET 0 SM)
    list(GET TARGET 1 PTX)
    set(TEXT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}_${SM}.ptx)
    add_custom_command(OUTPUT ${TEXT}
      COMMAND ${REDFLAG_DEVICE_CLANG} -x cuda --cuda-device-only --cuda-gpu-arch=sm_${SM} --cuda-feature=+ptx${PTX} -nocudainc -nocudalib
              -Wno-unknown-cuda-version -S -O2 -std=c++20 -fno-exceptions -Wall -Wextra -Werror
              -I${CMAKE_SOURCE_DIR} -MD -MF ${TEXT}.d -MT ${TEXT} ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cu -o ${TEXT}
      DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cu DEPFILE ${TEXT}.d VERBATIM)
    list(APPEND TEXTS ${TEXT})
  endforeach()
  list(GET TEXTS 0 OLD)
  list(GET TEXTS 1 NEW)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}_ptx.cpp @ONLY CONTENT [[
#include <cstdint>
#include <string_view>
__asm__(".pushsection .rodata\n"
        ".globl redflag_@NAME@_75\nredflag_@NAME@_75:\n.incbin \"@OLD@\"\n.globl redflag_@NAME@_75_end\nredflag_@NAME@_75_end:\n"
        ".globl redflag_@NAME@_90\nredflag_@NAME@_90:\n.incbin \"@NEW@\"\n.globl redflag_@NAME@_90_end\nredflag_@NAME@_90_end:\n"
        ".popsection\n");
extern "C" const char redflag_@NAME@_75[], redflag_@NAME@_75_end[], redflag_@NAME@_90[], redflag_@NAME@_90_end[];
namespace redflag::device {
std::string_view @NAME@_ptx(std::uint32_t sm);
std::string_view @NAME@_ptx(std::uint32_t sm) {
  return sm >= 90 ? std::string_view(redflag_@NAME@_90, redflag_@NAME@_90_end) : std::string_view(redflag_@NAME@_75, redflag_@NAME@_75_end);
}
}  // namespace redflag::device
]])
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${NAME}_ptx.cpp PROPERTIES OBJECT_DEPENDS "${OLD};${NEW}")
  add_library(redflag_device_${NAME} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${NAME}_ptx.cpp)
endfunction()
