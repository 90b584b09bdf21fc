# The whole product, without benchmarks and tests, in two parts: what the first race in a program of threads needs, and
# the rest. ./try builds one after the other. not_built.txt says what is missing on this machine, and why.
add_custom_target(first DEPENDS redflag)
add_custom_target(product DEPENDS redflag)
foreach(TARGET redflag_static redflag_symbols redflag_pass)
  if(TARGET ${TARGET})
    add_dependencies(first ${TARGET})
  endif()
endforeach()
add_dependencies(product first)
foreach(TARGET redflag_shared redflag_for_static redflag_pages redflag_cudart redflag_cuda_headers redflag_libdevice redflag_lines redflag_inject redflag_mpi
               redflag-openmpi redflag-mpich redflag-oshmem)
  if(TARGET ${TARGET})
    add_dependencies(product ${TARGET})
  endif()
endforeach()
get_property(REDFLAG_NOT_BUILT GLOBAL PROPERTY REDFLAG_NOT_BUILT)
file(WRITE ${CMAKE_BINARY_DIR}/not_built.txt "${REDFLAG_NOT_BUILT}")
