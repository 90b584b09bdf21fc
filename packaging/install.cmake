# What is installed, and the pages that the command prints about itself.
#
# The manual and the completions come out of the same tables as the parser (cli/options.h), so they are made
# by the command that was just built. Cross builds cannot run it: they set REDFLAG_PAGES=OFF.
option(REDFLAG_PAGES "make the manual page and the shell completions" ON)

install(TARGETS redflag RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET redflag_mpi)
  install(TARGETS redflag_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# The compiler wrappers under one word.
foreach(NAME redflag-cc redflag-c++ redflag-fortran redflag-nvcc redflag-mpicc redflag-mpicxx redflag-mpifort redflag-oshcc)
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${NAME} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

# The runtime that programs are linked with, and what the linker must be told with it (cli/runtime_files.h).
if(TARGET redflag_pass)
  install(TARGETS redflag_pass redflag_pass_sampling redflag_pass_counting LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET redflag_static)
  set(REDFLAG_STAND_IN redflag/gcc)
  set(LIBRARIES ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY})
  foreach(NAME libtsan.so libtsan_preinit.o)
    file(WRITE ${LIBRARIES}/${REDFLAG_STAND_IN}/${NAME}
      "/* Redflag takes the place of ThreadSanitizer: gcc finds this linker script instead, and adds nothing. */\n")
    install(FILES ${LIBRARIES}/${REDFLAG_STAND_IN}/${NAME} DESTINATION ${CMAKE_INSTALL_LIBDIR}/${REDFLAG_STAND_IN})
  endforeach()
  # The blank keeps what follows in a spec apart.
  file(WRITE ${LIBRARIES}/${REDFLAG_STAND_IN}/static.specs "*cc1_options:\n+ %{!redflag:-fsanitize=thread }\n")
  install(FILES ${LIBRARIES}/${REDFLAG_STAND_IN}/static.specs DESTINATION ${CMAKE_INSTALL_LIBDIR}/${REDFLAG_STAND_IN})
  add_custom_command(OUTPUT ${LIBRARIES}/libredflag.syms
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:redflag_shared> -DOUTPUT=${LIBRARIES}/libredflag.syms
            -P ${CMAKE_SOURCE_DIR}/cmake/dynamic_list.cmake
    DEPENDS redflag_shared ${CMAKE_SOURCE_DIR}/cmake/dynamic_list.cmake
    COMMENT "Listing the symbols that checked programs export"
    VERBATIM)
  add_custom_target(redflag_symbols ALL DEPENDS ${LIBRARIES}/libredflag.syms)
  install(TARGETS redflag_static redflag_for_static redflag_shared
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${LIBRARIES}/libredflag.syms DESTINATION ${CMAKE_INSTALL_LIBDIR})

  include(CMakePackageConfigHelpers)
  set(REDFLAG_BIN ${CMAKE_INSTALL_BINDIR})
  set(REDFLAG_LIB ${CMAKE_INSTALL_LIBDIR})
  set(PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/Redflag)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/RedflagConfig.cmake.in
    ${CMAKE_BINARY_DIR}/package/RedflagConfig.cmake INSTALL_DESTINATION ${PACKAGE} PATH_VARS REDFLAG_BIN REDFLAG_LIB)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/RedflagConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/package/RedflagConfig.cmake ${CMAKE_BINARY_DIR}/package/RedflagConfigVersion.cmake
    DESTINATION ${PACKAGE})
endif()

# CUDA's runtime library over the emulated GPU: in a folder of its own, so that nobody finds it by chance.
if(TARGET redflag_inject)
  install(TARGETS redflag_inject LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/redflag/cuda)
endif()
if(TARGET redflag_cudart)
  install(TARGETS redflag_cudart LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/redflag/cuda NAMELINK_SKIP)
endif()
# With which kernels are compiled where there is no CUDA toolkit.
if(TARGET redflag_cuda_headers)
  install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/redflag/cuda/include DESTINATION ${CMAKE_INSTALL_LIBDIR}/redflag/cuda)
endif()
if(TARGET redflag_libdevice)
  install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/redflag/cuda/libdevice.bc DESTINATION ${CMAKE_INSTALL_LIBDIR}/redflag/cuda)
endif()
if(TARGET redflag_lines)
  install(TARGETS redflag_lines LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/redflag/cuda)
endif()

# Layers in front of MPI's and OpenSHMEM's libraries, each where its library was there to build against.
foreach(LAYER redflag-openmpi redflag-mpich redflag-oshmem)
  if(TARGET ${LAYER})
    install(TARGETS ${LAYER} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/redflag)
  endif()
endforeach()

if(REDFLAG_PAGES)
  set(PAGES ${CMAKE_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${PAGES}/man/man1 ${PAGES}/bash ${PAGES}/zsh ${PAGES}/fish)
  add_custom_command(
    OUTPUT ${PAGES}/man/man1/redflag.1 ${PAGES}/bash/redflag ${PAGES}/zsh/_redflag ${PAGES}/fish/redflag.fish
    COMMAND redflag --man > ${PAGES}/man/man1/redflag.1
    COMMAND redflag completion bash > ${PAGES}/bash/redflag
    COMMAND redflag completion zsh > ${PAGES}/zsh/_redflag
    COMMAND redflag completion fish > ${PAGES}/fish/redflag.fish
    DEPENDS redflag
    COMMENT "Making the manual page and the completions"
    VERBATIM)
  add_custom_target(redflag_pages ALL DEPENDS ${PAGES}/man/man1/redflag.1)
  install(FILES ${PAGES}/man/man1/redflag.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PAGES}/bash/redflag DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PAGES}/zsh/_redflag DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PAGES}/fish/redflag.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
