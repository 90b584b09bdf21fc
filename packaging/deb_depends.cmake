# Run by cpack before it makes a package: which Debian packages Redflag needs, as dpkg-shlibdeps reads it from the files
# that were built.
#
# Two kinds of files need libraries that the package does not: the layers before MPI and OpenSHMEM and the part of the
# command that mpirun loads are only ever loaded into programs that have loaded those libraries already, and the pass
# into clang-19. Nobody should get three MPI libraries to look at a trace, so these are left out here.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  message(FATAL_ERROR "needed: cpack -G DEB\nfound: -G ${CPACK_GENERATOR}, for which nothing says where files go\n"
    "to mend it: cmake --install BUILD --prefix FOLDER, and pack that folder")
endif()

find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT SHLIBDEPS)
  message(FATAL_ERROR "needed: dpkg-shlibdeps, which says what the package depends on\nfound: none in PATH\n"
    "to mend it: apt-get install dpkg-dev")
endif()

set(FILES ${CPACK_REDFLAG_BUILD}/bin/redflag)
foreach(NAME libredflag.so redflag/cuda/libcudart.so.13 redflag/cuda/libredflag-cuda.so)
  if(EXISTS ${CPACK_REDFLAG_BUILD}/lib/${NAME})
    list(APPEND FILES ${CPACK_REDFLAG_BUILD}/lib/${NAME})
  endif()
endforeach()

# It wants to be in a source package.
set(FOLDER ${CPACK_REDFLAG_BUILD}/package/shlibdeps)
file(WRITE ${FOLDER}/debian/control "Source: redflag\n\nPackage: redflag\nArchitecture: any\n")
execute_process(COMMAND ${SHLIBDEPS} -O ${FILES} WORKING_DIRECTORY ${FOLDER}
  OUTPUT_VARIABLE SAID ERROR_VARIABLE FAULTS RESULT_VARIABLE STATUS)
if(NOT STATUS EQUAL 0 OR NOT SAID MATCHES "shlibs:Depends=([^\n]+)")
  message(FATAL_ERROR "needed: the packages that redflag's libraries are in\nfound: dpkg-shlibdeps says: ${FAULTS}${SAID}\n"
    "to mend it: ninja -C ${CPACK_REDFLAG_BUILD} product, on a Debian system")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
