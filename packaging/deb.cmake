# The Debian package: `ninja -C build deb` builds the product and makes build/redflag_VERSION_ARCH.deb of it, by
# `cpack -G DEB`. One package, since every part finds the others beside itself.
#
# All that is Redflag's own lies below /usr/lib/redflag, in bin and lib as in a build folder, and /usr/bin has links, as
# for Debian's LLVM: the libraries have no stable interface, and no other package shall link them by chance.
#
# What must be known when the package is made is in scripts that cpack runs: deb_depends.cmake asks dpkg-shlibdeps
# which libraries are needed, deb_stage.cmake puts files where Debian wants them, deb_size.cmake corrects the size that
# cpack says. tests/package tries the result.
set(REDFLAG_MAINTAINER "Redflag maintainers <maintainers@redflag.invalid>" CACHE STRING "who answers for the Debian package")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME redflag)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${REDFLAG_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "data-race detector for threads, CUDA kernels and one-sided programs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/redflag)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/deb_stage.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/deb_size.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/packaging/deb_depends.cmake)
set(CPACK_REDFLAG_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_REDFLAG_BUILD ${CMAKE_BINARY_DIR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Finds data races in programs of threads (C, C++, OpenMP), in CUDA kernels
with or without a GPU, and in one-sided programs (MPI RMA, OpenSHMEM). A
report names both accesses with their stacks, the synchronisation that was
missing or too weak, and what to change.

Programs are built with 'redflag c++', 'redflag nvcc' or 'redflag mpicc', or
in CMake by find_package(Redflag), and are checked with 'redflag run'.")
# Replaying a trace needs no compiler, checking a program does: clang-19 for our own pass, and for kernels where no CUDA
# toolkit is. Any compiler with -fsanitize=thread is enough for programs of threads.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-19")
# Each only for the programs that use it. NVIDIA's toolkit is one of two ways to compile kernels.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, gfortran, libomp-19-dev, libopenmpi-dev, openmpi-bin, mpich, nvidia-cuda-toolkit")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

include(CPack)

add_custom_target(deb
  COMMAND ${CMAKE_CPACK_COMMAND} -G DEB --config ${CMAKE_BINARY_DIR}/CPackConfig.cmake -B ${CMAKE_BINARY_DIR}
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  COMMENT "Making the Debian package"
  VERBATIM)
add_dependencies(deb product)
