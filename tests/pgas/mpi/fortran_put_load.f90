! ranks: 2
! Fortran by the module mpi: a put from rank 0 races with a load by its target, unless a fence is between them.
program fortran_put_load
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 8
  integer, pointer :: memory(:)
  integer :: rank, window, fault, ones(n), seen
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place
  type(c_ptr) :: base

  call MPI_Init(fault)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, fault)
  bytes = 4 * n
  call MPI_Alloc_mem(bytes, MPI_INFO_NULL, base, fault)
  call c_f_pointer(base, memory, [n])
  memory = 0
  ones = 1
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, fault)
  call MPI_Win_fence(0, window, fault)
  place = 3
  if (rank == 0) then
    call MPI_Put(ones, 1, MPI_INTEGER, 1, place, 1, MPI_INTEGER, window, fault) ! RACE
  end if
#ifndef RACE
  call MPI_Win_fence(0, window, fault)
#endif
  if (rank == 1) then
    seen = memory(4) ! RACE
    if (seen > 1) print *, seen
  end if
  call MPI_Win_fence(0, window, fault)
  call MPI_Win_free(window, fault)
  call MPI_Free_mem(memory, fault)
  call MPI_Finalize(fault)
end program
