// The depend clauses of one task's children: which earlier siblings must be finished first.
//
// Per address there is the present generation of writers and the readers since. `in` waits for the
// writers; `out` and `inout` wait for all and become the only writer; the set types wait for what
// came before their set and not for each other (mutexinoutset excludes the others like a lock). A
// task that names omp_all_memory waits for everything and everything later waits for it. Edges are
// kept task to task, so exactly the tasks that the clauses order are ordered.
//
// One table per parent, used only by whoever runs the parent: only it creates children.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cpu/openmp/pool.h"

namespace redflag::openmp {

struct Task;

enum class Depend : std::uint8_t { kIn, kOut, kMutexInOutSet, kInOutSet, kAllMemory };

class Dependences {
 public:
  Dependences() = default;
  Dependences(const Dependences&) = delete;
  Dependences& operator=(const Dependences&) = delete;
  ~Dependences() { forget(); }

  // Adds to task.predecessors (and task.exclusive) what `task` must wait for. All clauses of one
  // task come before those of the next.
  void add(Task& task, void* address, Depend type);
  // All children are finished and known to the parent: nothing to wait for any more.
  void forget();

 private:
  struct Generation {
    void* address = nullptr;
    Depend type = Depend::kOut;  // of the writers
    List<Task*> before;          // what a set of writers waits for
    List<Task*> writers;
    List<Task*> readers;
  };

  Generation& find(void* address);
  void grow();
  void all_memory(Task& task);

  Generation** slots_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  Task* everything_ = nullptr;  // the last task with omp_all_memory
};

}  // namespace redflag::openmp
