#include "frontends/cpu/openmp/model.h"

#include <gtest/gtest.h>

#include "frontends/cpu/openmp/depend.h"
#include "frontends/cpu/openmp/doacross.h"
#include "frontends/cpu/openmp/testing.h"

namespace redflag::openmp {
namespace {

// One system thread plays a team: who() changes which worker it is.
class ModelTest : public testing::Test {
 protected:
  ModelTest() {
    worker() = Worker{};
    main_ = runtime_.new_thread();
    runtime_.run(main_);
    initial_ = current_task();
    workers_[0].task = initial_;
  }

  // The thread that is played goes on as another one.
  void who(int index) {
    std::swap(worker(), workers_[player_]);
    threads_[player_] = runtime_.self;
    player_ = index;
    std::swap(worker(), workers_[player_]);
    if (!threads_[player_]) threads_[player_] = runtime_.new_thread(main_);
    runtime_.run(threads_[player_]);
  }

  // A region of `threads` threads, forked by thread 0, which is played again afterwards.
  Team* region(int threads, Task& forker) {
    Team* team = fork(forker);
    for (int i = threads - 1; i >= 0; --i) {
      who(i);
      tasks_[i] = begin_implicit(*team, static_cast<unsigned>(threads), here());
    }
    return team;
  }
  void end_region(int threads, Team* team, Task& forker) {
    for (int i = threads - 1; i >= 0; --i) {
      who(i);
      arrive(*tasks_[i]);
      end_implicit(*tasks_[i], here());
      worker().task = nullptr;
    }
    switch_task(forker, here());
    join(*team);
  }

  static const void* here() { return __builtin_frame_address(0); }

  // Runs a task from start to end, as the present thread, and says when.
  Step execute(Task* task) {
    Task* before = worker().task;
    start_task(*task, here());
    const Step step = runtime_.step();
    finish_task(*task, *before, here());
    return step;
  }

  Task* depending(std::initializer_list<std::pair<int*, Depend>> clauses) {
    Task& parent = *worker().task;
    Task* task = create_task(parent, Deferral::kDeferrable);
    if (!parent.dependences) parent.dependences = make<Dependences>();
    for (const auto& [address, type] : clauses) parent.dependences->add(*task, address, type);
    return task;
  }

  FakeRuntime runtime_;
  rt::Thread* main_ = nullptr;
  Task* initial_ = nullptr;
  Worker workers_[4];
  rt::Thread* threads_[4] = {};
  Task* tasks_[4] = {};
  int player_ = 0;
};

TEST_F(ModelTest, ForkAndJoinOrder) {
  const Step before = runtime_.step();
  Team* team = region(2, *initial_);
  who(1);
  EXPECT_TRUE(runtime_.knows(before));
  const Step inside = runtime_.step();
  who(0);
  EXPECT_FALSE(runtime_.knows(inside));
  end_region(2, team, *initial_);
  EXPECT_TRUE(runtime_.knows(inside));
}

TEST_F(ModelTest, BarrierOrdersItsRoundOnly) {
  Team* team = region(2, *initial_);
  who(1);
  const Step first = runtime_.step();
  enter_barrier(*tasks_[1]);
  who(0);
  EXPECT_FALSE(runtime_.knows(first));
  enter_barrier(*tasks_[0]);
  exit_barrier(*tasks_[0]);
  EXPECT_TRUE(runtime_.knows(first));
  const Step second = runtime_.step();
  enter_barrier(*tasks_[0]);  // the next round, while thread 1 is still inside this one
  who(1);
  exit_barrier(*tasks_[1]);
  EXPECT_FALSE(runtime_.knows(second));
  end_region(2, team, *initial_);
}

TEST_F(ModelTest, TasksOfOneThreadAreNotOrdered) {
  Team* team = region(2, *initial_);
  Task* a = create_task(*tasks_[0], Deferral::kDeferrable);
  Task* b = create_task(*tasks_[0], Deferral::kDeferrable);
  const Step created = runtime_.step();
  const Step in_a = execute(a);
  start_task(*b, here());
  EXPECT_FALSE(runtime_.knows(in_a));
  EXPECT_FALSE(runtime_.knows(created));
  finish_task(*b, *tasks_[0], here());
  EXPECT_FALSE(runtime_.knows(in_a));
  children_done(*tasks_[0]);
  EXPECT_TRUE(runtime_.knows(in_a));
  end_region(2, team, *initial_);
  EXPECT_EQ(runtime_.fibers, 0);
}

TEST_F(ModelTest, DataCopiedByTheCreatorIsKnownToTheTask) {
  Team* team = region(2, *initial_);
  Task* task = create_task(*tasks_[0], Deferral::kDeferrable);
  Task* pattern = create_task(*tasks_[0], Deferral::kDeferrable);
  const Step copying = runtime_.step();
  data_copied(*task);
  data_copied(*pattern);
  const Step later = runtime_.step();
  for (Task* one : {task, create_late(*pattern)}) {
    start_task(*one, here());
    EXPECT_TRUE(runtime_.knows(copying));
    EXPECT_FALSE(runtime_.knows(later));
    finish_task(*one, *tasks_[0], here());
  }
  forget_pattern(*pattern, false);
  end_region(2, team, *initial_);
  EXPECT_EQ(runtime_.fibers, 0);
}

TEST_F(ModelTest, TaskwaitIsForChildrenTaskgroupForAll) {
  Team* team = region(2, *initial_);
  begin_group(*tasks_[0]);
  Task* child = create_task(*tasks_[0], Deferral::kDeferrable);
  start_task(*child, here());
  Task* grandchild = create_task(*child, Deferral::kDeferrable);
  const Step in_child = runtime_.step();
  finish_task(*child, *tasks_[0], here());
  const Step in_grandchild = execute(grandchild);
  children_done(*tasks_[0]);
  EXPECT_TRUE(runtime_.knows(in_child));
  EXPECT_FALSE(runtime_.knows(in_grandchild));
  end_group(*tasks_[0]);
  EXPECT_TRUE(runtime_.knows(in_grandchild));
  end_region(2, team, *initial_);
}

TEST_F(ModelTest, TasksAreDoneByTheNextBarrier) {
  Team* team = region(2, *initial_);
  Task* task = create_task(*tasks_[0], Deferral::kDeferrable);
  enter_barrier(*tasks_[0]);
  who(1);
  enter_barrier(*tasks_[1]);
  const Step inside = execute(task);  // by another thread, inside the barrier
  exit_barrier(*tasks_[1]);
  EXPECT_TRUE(runtime_.knows(inside));
  who(0);
  EXPECT_FALSE(runtime_.knows(inside));
  exit_barrier(*tasks_[0]);
  EXPECT_TRUE(runtime_.knows(inside));
  end_region(2, team, *initial_);
}

TEST_F(ModelTest, IncludedTasksRunAsTheirParent) {
  Team* team = region(2, *initial_);
  Task* task = create_task(*tasks_[0], Deferral::kIncluded);
  EXPECT_FALSE(task->fiber);
  const Step inside = execute(task);
  EXPECT_TRUE(runtime_.knows(inside));
  end_region(2, team, *initial_);
  team = region(1, *initial_);
  task = create_task(*tasks_[0], Deferral::kDeferrable);
  EXPECT_FALSE(task->fiber) << "a team of one has nobody to run it meanwhile";
  execute(task);
  end_region(1, team, *initial_);
}

TEST_F(ModelTest, DependencesOrderExactlyTheirTasks) {
  Team* team = region(2, *initial_);
  int x = 0, y = 0;
  const Step wrote_x = execute(depending({{&x, Depend::kOut}}));
  const Step wrote_y = execute(depending({{&y, Depend::kOut}}));
  Task* reader = depending({{&x, Depend::kIn}});
  Task* other_reader = depending({{&x, Depend::kIn}});
  Task* writer = depending({{&x, Depend::kOut}});
  start_task(*reader, here());
  EXPECT_TRUE(runtime_.knows(wrote_x));
  EXPECT_FALSE(runtime_.knows(wrote_y));
  const Step read_x = runtime_.step();
  finish_task(*reader, *tasks_[0], here());
  start_task(*other_reader, here());
  EXPECT_TRUE(runtime_.knows(wrote_x));
  EXPECT_FALSE(runtime_.knows(read_x));
  finish_task(*other_reader, *tasks_[0], here());
  start_task(*writer, here());
  EXPECT_TRUE(runtime_.knows(read_x));
  EXPECT_TRUE(runtime_.knows(wrote_x));
  EXPECT_FALSE(runtime_.knows(wrote_y));
  finish_task(*writer, *tasks_[0], here());
  end_region(2, team, *initial_);
}

TEST_F(ModelTest, SetsAndAllMemory) {
  Team* team = region(2, *initial_);
  int x = 0, y = 0;
  const Step first = execute(depending({{&x, Depend::kOut}}));
  const Step one = execute(depending({{&x, Depend::kInOutSet}}));
  Task* two = depending({{&x, Depend::kInOutSet}});
  start_task(*two, here());
  EXPECT_TRUE(runtime_.knows(first));
  EXPECT_FALSE(runtime_.knows(one)) << "members of a set are not ordered";
  const Step in_two = runtime_.step();
  finish_task(*two, *tasks_[0], here());
  const Step wrote_y = execute(depending({{&y, Depend::kOut}}));
  Task* all = depending({{nullptr, Depend::kAllMemory}});
  start_task(*all, here());
  EXPECT_TRUE(runtime_.knows(one) && runtime_.knows(in_two) && runtime_.knows(wrote_y));
  const Step in_all = runtime_.step();
  finish_task(*all, *tasks_[0], here());
  Task* after = depending({{&y, Depend::kIn}});
  start_task(*after, here());
  EXPECT_TRUE(runtime_.knows(in_all));
  finish_task(*after, *tasks_[0], here());
  end_region(2, team, *initial_);
}

TEST_F(ModelTest, DetachedTasksAreCompleteWhenFulfilled) {
  Team* team = region(2, *initial_);
  Task* task = create_task(*tasks_[0], Deferral::kDeferrable);
  start_task(*task, here());
  const Step body = runtime_.step();
  suspend_task(*task, *tasks_[0], here());
  who(1);
  const Step before_event = runtime_.step();
  fulfilled(*task);
  release(task);
  who(0);
  children_done(*tasks_[0]);
  EXPECT_TRUE(runtime_.knows(body));
  EXPECT_TRUE(runtime_.knows(before_event));
  end_region(2, team, *initial_);
}

// Two forkers that know nothing of each other use one worker: it must not order them.
TEST_F(ModelTest, WorkersDoNotOrderUnrelatedForkers) {
  Team* first = region(2, *initial_);
  who(1);
  const Step in_first = runtime_.step();
  end_region(2, first, *initial_);
  threads_[2] = runtime_.new_thread();  // started by nobody that knows anything
  who(2);
  Task* stranger = current_task();
  Team* second = fork(*stranger);
  tasks_[2] = begin_implicit(*second, 2, here());
  who(1);
  tasks_[1] = begin_implicit(*second, 2, here());
  EXPECT_TRUE(tasks_[1]->fiber);
  EXPECT_FALSE(runtime_.knows(in_first));
  arrive(*tasks_[1]);
  end_implicit(*tasks_[1], here());
  who(2);
  end_implicit(*tasks_[2], here());
  switch_task(*stranger, here());
  join(*second);
  EXPECT_EQ(runtime_.fibers, 0);
}

TEST_F(ModelTest, NestedRegionsReuseWorkersWithoutFibers) {
  Team* outer = region(1, *initial_);
  Task* implicit = tasks_[0];
  Team* inner = region(2, *implicit);
  end_region(2, inner, *implicit);
  arrive(*implicit);
  end_implicit(*implicit, here());
  switch_task(*initial_, here());
  join(*outer);
  Team* next = region(2, *initial_);
  EXPECT_FALSE(tasks_[1]->fiber) << "the inner join is known to the outer forker";
  end_region(2, next, *initial_);
}

TEST_F(ModelTest, DoacrossOrdersTheIterationsItNames) {
  Team* team = region(2, *initial_);
  const Dimension loop[] = {{0, 9, 1}, {10, 0, -2}};
  who(1);
  begin_doacross(*tasks_[1], 2, loop);
  const Step early = runtime_.step();
  const long long at_early[] = {3, 4};
  post_doacross(*tasks_[1], at_early);
  const Step late = runtime_.step();
  const long long at_late[] = {3, 2};
  post_doacross(*tasks_[1], at_late);
  who(0);
  begin_doacross(*tasks_[0], 2, loop);
  EXPECT_EQ(doacross_dimensions(*tasks_[0]), 2u);
  const long long outside[] = {3, 12};
  waited_doacross(*tasks_[0], outside);
  EXPECT_FALSE(runtime_.knows(early));
  waited_doacross(*tasks_[0], at_early);
  EXPECT_TRUE(runtime_.knows(early));
  EXPECT_FALSE(runtime_.knows(late));
  end_doacross(*tasks_[0]);
  who(1);
  end_doacross(*tasks_[1]);
  EXPECT_EQ(team->doacross, nullptr);
  end_region(2, team, *initial_);
}

__attribute__((noinline)) std::uintptr_t use_stack(int bytes) {
  volatile char* memory = static_cast<volatile char*>(__builtin_alloca(bytes));
  memory[0] = 1;  // the lowest byte, far below the others
  return reinterpret_cast<std::uintptr_t>(memory);
}

TEST_F(ModelTest, TheStackIsForgottenAsDeepAsItWasUsed) {
  Stack stack;
  const std::uintptr_t deepest = use_stack(300000);
  runtime_.replaced.clear();
  stack.forget_below(here());
  ASSERT_EQ(runtime_.replaced.size(), 1u);
  EXPECT_LE(runtime_.replaced[0].first, deepest);
  EXPECT_EQ(runtime_.replaced[0].first + runtime_.replaced[0].second,
            reinterpret_cast<std::uintptr_t>(here()));
}

TEST(Pool, BlocksAreUsedAgain) {
  void* block = take(100);
  give(block, 100);
  EXPECT_EQ(take(128), block);
  void* large = take(3 << 20);
  static_cast<char*>(large)[(3 << 20) - 1] = 1;
  give(large, 3 << 20);
}

}  // namespace
}  // namespace redflag::openmp
