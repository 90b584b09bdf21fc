! ranks: 2
! Fortran by mpi_f08: a get writes its buffer until it is complete, so a store to the buffer before the flush races.
program fortran_f08_get_store
  use mpi_f08
  implicit none
  integer, parameter :: n = 8
  integer, allocatable, asynchronous :: memory(:), got(:)
  integer :: rank
  type(MPI_Win) :: window
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate (memory(n), got(n))
  memory = 5
  got = 0
  bytes = 4 * n
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_lock_all(0, window)
  place = 2
  if (rank == 0) then
    call MPI_Get(got(2), 1, MPI_INTEGER, 1, place, 1, MPI_INTEGER, window) ! RACE
#ifndef RACE
    call MPI_Win_flush_local(1, window)
#endif
    call change(got)
    call MPI_Win_flush_local(1, window)
  end if
  call MPI_Win_unlock_all(window)
  call MPI_Win_free(window)
  if (got(2) > 7) print *, got(2)
  call MPI_Finalize()

contains

  subroutine change(buffer)
    integer, intent(inout) :: buffer(:)
    buffer(2) = 7 ! RACE
  end subroutine
end program
