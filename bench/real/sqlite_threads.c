// Threads on one SQLite database with a shared cache: sqlite_threads FILE THREADS STEPS
//
// Each thread has a connection of its own; all of them share one page cache, one schema and the
// locks of its tables, so SQLite's own mutexes are what orders them. What a thread writes does not
// depend on the others, and the totals are sums, so the database is the same at the end however
// they took turns. The program prints what it holds and what SQLite's own check says of it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static const char* file;
static int steps;

static void check(sqlite3* db, int status, const char* what) {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
  fprintf(stderr, "sqlite_threads: %s: %s (%d)\n", what, db ? sqlite3_errmsg(db) : "", status);
  exit(1);
}

// A table that another connection has locked: SQLite calls back when it has let go of it.
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int is_free;
} Turn;

static void let_go(void** turns, int count) {
  for (int i = 0; i < count; ++i) {
    Turn* turn = turns[i];
    pthread_mutex_lock(&turn->mutex);
    turn->is_free = 1;
    pthread_cond_signal(&turn->changed);
    pthread_mutex_unlock(&turn->mutex);
  }
}

static int wait_for_turn(sqlite3* db) {
  Turn turn = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  int status = sqlite3_unlock_notify(db, let_go, &turn);
  if (status == SQLITE_OK) {
    pthread_mutex_lock(&turn.mutex);
    while (!turn.is_free) pthread_cond_wait(&turn.changed, &turn.mutex);
    pthread_mutex_unlock(&turn.mutex);
  }
  pthread_cond_destroy(&turn.changed);
  pthread_mutex_destroy(&turn.mutex);
  return status;
}

static int is_locked(sqlite3* db, int status) {
  return (status & 0xff) == SQLITE_LOCKED &&
         sqlite3_extended_errcode(db) == SQLITE_LOCKED_SHAREDCACHE;
}

static int step(sqlite3* db, sqlite3_stmt* statement) {
  int status;
  while (is_locked(db, status = sqlite3_step(statement))) {
    status = wait_for_turn(db);
    sqlite3_reset(statement);
    if (status != SQLITE_OK) return status;
  }
  return status;
}

static sqlite3_stmt* prepared(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = NULL;
  int status;
  while (is_locked(db, status = sqlite3_prepare_v2(db, sql, -1, &statement, NULL))) {
    check(db, wait_for_turn(db), "waiting");
  }
  check(db, status, sql);
  return statement;
}

static void run(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = prepared(db, sql);
  int status;
  do status = step(db, statement);
  while (status == SQLITE_ROW);
  // A deadlock of two connections that wait for each other is refused: both go on.
  check(db, status, sql);
  sqlite3_finalize(statement);
}

static sqlite3* opened(void) {
  sqlite3* db = NULL;
  check(db,
        sqlite3_open_v2(file, &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_SHAREDCACHE, NULL),
        "open");
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, 60000);
  run(db, "PRAGMA synchronous = OFF");
  run(db, "PRAGMA journal_mode = MEMORY");  // the disk is not what is measured
  return db;
}

static void* work(void* argument) {
  const int owner = (int)(long)argument;
  sqlite3* db = opened();
  sqlite3_stmt* insert = prepared(db, "INSERT INTO rows VALUES (?1, ?2, ?3, 'text of row ' || ?1)");
  sqlite3_stmt* add = prepared(db, "UPDATE totals SET n = n + ?1 WHERE id = ?2");
  sqlite3_stmt* look =
      prepared(db, "SELECT count(*), sum(v), max(s) FROM rows WHERE owner = ?1 AND v % 16 = ?2");
  unsigned long seen = 0;
  for (int i = 0; i < steps; ++i) {
    const int value = (owner * 7919 + i * 104729) % 1000;
    sqlite3_bind_int(insert, 1, owner * 1000000 + i);
    sqlite3_bind_int(insert, 2, owner);
    sqlite3_bind_int(insert, 3, value);
    check(db, step(db, insert), "insert");
    sqlite3_reset(insert);
    sqlite3_bind_int(add, 1, value);
    sqlite3_bind_int(add, 2, value % 8);
    check(db, step(db, add), "update");
    sqlite3_reset(add);
    if (i % 4 != 0) continue;
    sqlite3_bind_int(look, 1, owner);
    sqlite3_bind_int(look, 2, i / 4 % 16);
    check(db, step(db, look), "select");
    seen = seen * 31 + (unsigned long)sqlite3_column_int64(look, 0) +
           (unsigned long)sqlite3_column_int64(look, 1);
    sqlite3_reset(look);
  }
  sqlite3_finalize(insert);
  sqlite3_finalize(add);
  sqlite3_finalize(look);
  check(db, sqlite3_close(db), "close");
  return (void*)seen;
}

static void show(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = prepared(db, sql);
  while (step(db, statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); ++i)
      printf("%s ", (const char*)sqlite3_column_text(statement, i));
    printf("\n");
  }
  sqlite3_finalize(statement);
}

int main(int count, char** words) {
  if (count != 4) {
    fprintf(stderr, "usage: sqlite_threads FILE THREADS STEPS\n");
    return 2;
  }
  file = words[1];
  const int threads = atoi(words[2]);
  steps = atoi(words[3]);
  sqlite3_enable_shared_cache(1);
  sqlite3* db = opened();
  run(db, "CREATE TABLE rows (id INTEGER PRIMARY KEY, owner INT, v INT, s TEXT)");
  run(db, "CREATE INDEX by_owner ON rows (owner, v)");
  run(db, "CREATE TABLE totals (id INTEGER PRIMARY KEY, n INT)");
  for (int i = 0; i < 8; ++i)
    run(db, "INSERT INTO totals (n, id) VALUES (0, (SELECT count(*) FROM totals))");
  pthread_t* ids = calloc((size_t)threads, sizeof *ids);
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, work, (void*)(long)i);
  for (int i = 0; i < threads; ++i) {
    void* seen;
    pthread_join(ids[i], &seen);
    printf("thread %d saw %lx\n", i, (unsigned long)seen);
  }
  show(db, "SELECT count(*), sum(id), sum(v), count(DISTINCT s) FROM rows");
  show(db, "SELECT id, n FROM totals ORDER BY id");
  show(db, "PRAGMA integrity_check");
  check(db, sqlite3_close(db), "close");
  free(ids);
  return 0;
}
