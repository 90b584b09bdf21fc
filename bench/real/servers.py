"""Servers: how each is started on a free port of the loopback interface, given its load, asked for
its result, and ended.

The load comes from a client that is built natively: redis-benchmark of the same source for redis,
client.cpp for the others. The clients check each reply, and the result says how many were right.
Requests are always the same, so what a server holds at the end is the same in every variant.
"""

import dataclasses
import signal
import socket
import subprocess
import time

from fetch import CACHE
from run import Process, WentWrong, made

STARTS_IN = 60  # seconds
BENCHMARK = CACHE / "build" / "redis" / "native" / "redis" / "src" / "redis-benchmark"


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def output_of(command):
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    if ran.returncode != 0:
        raise WentWrong(f"{' '.join(map(str, command))}\nended with status {ran.returncode}:\n{ran.stdout[-500:]}{ran.stderr[-1000:]}")
    return ran.stdout


@dataclasses.dataclass(frozen=True)
class Server:
    """What all of them have in common."""

    sizes: object
    undo = ()

    def serve(self, prefix, program, size, work, env):
        port = self.find_port()
        process = Process([*prefix, program, *self.words(port, work.run)], work, env)
        try:
            self.wait_until_ready(process, port)
            result = self.load(port, size)
        except (WentWrong, OSError, subprocess.TimeoutExpired) as fault:
            if process.is_running():
                process.popen.send_signal(signal.SIGTERM)
            raise WentWrong(f"{' '.join(process.command)}\n{fault}\nit said:\n{process.ended(60).err[-3000:].decode(errors='replace')}") from fault
        process.popen.send_signal(signal.SIGTERM)
        ran = process.ended(120)
        ran.result = result
        if ran.status == -signal.SIGTERM:  # it has no handler for it
            ran.status = 0
        return ran

    def find_port(self):
        return free_port()

    def wait_until_ready(self, process, port):
        end = time.monotonic() + STARTS_IN
        while time.monotonic() < end:
            if not process.is_running():
                raise WentWrong("ended before it listened")
            if self.answers(port):
                return
            time.sleep(0.02)
        raise WentWrong(f"did not listen after {STARTS_IN} s")

    def answers(self, port):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            return False


@dataclasses.dataclass(frozen=True)
class Redis(Server):
    io_threads: int = 1

    def words(self, port, work):
        return ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(work), "--save", "", "--appendonly", "no", "--daemonize", "no",
                "--io-threads", str(self.io_threads), "--io-threads-do-reads", "yes" if self.io_threads > 1 else "no",
                "--lazyfree-lazy-user-del", "yes", "--enable-debug-command", "local", "--maxclients", "200"]

    def load(self, port, size):
        output_of([BENCHMARK, "-h", "127.0.0.1", "-p", port, "-c", 16, "-P", 8, "-n", size, "-d", 64, "-q",
                   "-t", "set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,zadd,zpopmin,lrange_100,mset"])
        with socket.create_connection(("127.0.0.1", port), 60) as connection, connection.makefile("rwb") as stream:
            def ask(line):
                stream.write(line.encode() + b"\r\n")
                stream.flush()
                return stream.readline().decode().strip()

            held = [ask("DBSIZE"), ask("DEBUG DIGEST")]
            for i in range(200):
                answers = ask(f"SET own:{i} {i * 7}"), ask(f"INCR own:{i}"), ask(f"STRLEN own:{i}")
                if answers != ("+OK", f":{i * 7 + 1}", f":{len(str(i * 7 + 1))}"):
                    raise WentWrong(f"wrong replies for own:{i}: {answers}")
            ask("FLUSHALL ASYNC")
        return " ".join(held)


@dataclasses.dataclass(frozen=True)
class Memcached(Server):
    threads: int = 4

    def words(self, port, _work):
        return ["-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", str(self.threads), "-m", "64", "-u", "root"]

    def load(self, port, size):
        return output_of([made("client"), "memcached", port, size])


@dataclasses.dataclass(frozen=True)
class Unbound(Server):
    threads: int = 2

    def find_port(self):
        while True:
            port = free_port()
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
                try:
                    first.bind(("127.0.0.1", port))
                    second.bind(("127.0.0.1", port + 1))  # for the server that it asks
                    return port
                except OSError:
                    continue

    def words(self, port, work):
        config = work / "unbound.conf"
        config.write_text(f"""
server:
  interface: 127.0.0.1
  port: {port}
  num-threads: {self.threads}
  so-reuseport: yes
  do-ip6: no
  do-not-query-localhost: no
  module-config: "iterator"
  directory: "{work}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 0
  rrset-roundrobin: no
  minimal-responses: yes
  qname-minimisation: no
  local-zone: "local.example." static
  local-data: "fixed.local.example. 3600 IN A 10.9.8.7"
remote-control:
  control-enable: no
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@{port + 1}
""")
        return ["-d", "-c", str(config)]

    def load(self, port, size):
        return output_of([made("client"), "dns", port, size])
