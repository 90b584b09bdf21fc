#include "cli/mpi/redflag_mpi.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <vector>

namespace {

constexpr int kBytesTag = 1;
constexpr int kValueTag = 2;
constexpr useconds_t kShortestNap = 50;
constexpr useconds_t kLongestNap = 5000;

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

int size() {
  int value = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

int init() {
  int provided = 0;
  return MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS ? 0 : 1;
}

// Calls `ready` until it says true, with longer and longer naps between.
template <typename Ready>
bool await(Ready ready, redflag_mpi_stop stop) {
  for (useconds_t nap = kShortestNap; !ready(); nap = std::min(nap * 2, kLongestNap)) {
    if (stop != nullptr && stop() != 0) return false;
    ::usleep(nap);
  }
  return true;
}

bool receive(int from, int tag, std::vector<char>& bytes, redflag_mpi_stop stop) {
  MPI_Status status;
  const auto arrived = [&] {
    int flag = 0;
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &status);
    return flag != 0;
  };
  if (!await(arrived, stop)) return false;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  bytes.resize(static_cast<std::size_t>(count));
  MPI_Recv(bytes.data(), count, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return true;
}

bool send(int to, int tag, const void* bytes, std::size_t count, redflag_mpi_stop stop) {
  if (count > INT_MAX) return false;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  const auto sent = [&] {
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  };
  return await(sent, stop);
}

int gather(const void* bytes, std::size_t count, redflag_mpi_take take, void* context,
           redflag_mpi_stop stop) {
  if (rank() != 0) return send(0, kBytesTag, bytes, count, stop) ? 0 : 1;
  take(context, 0, bytes, count);
  std::vector<char> received;
  for (int from = 1; from < size(); ++from) {
    if (!receive(from, kBytesTag, received, stop)) return 1;
    take(context, from, received.data(), received.size());
  }
  return 0;
}

int broadcast(int* value, redflag_mpi_stop stop) {
  if (rank() == 0) {
    for (int to = 1; to < size(); ++to) {
      if (!send(to, kValueTag, value, sizeof(*value), stop)) return 1;
    }
    return 0;
  }
  std::vector<char> received;
  if (!receive(0, kValueTag, received, stop) || received.size() != sizeof(*value)) return 1;
  std::copy(received.begin(), received.end(), reinterpret_cast<char*>(value));
  return 0;
}

void finalize() {
  MPI_Finalize();
}

constexpr redflag_mpi kInterface{REDFLAG_MPI_VERSION, init,    rank, size, gather,
                                 broadcast,           finalize};

}  // namespace

extern "C" [[gnu::visibility("default")]] const redflag_mpi* redflag_mpi_interface() {
  return &kInterface;
}
