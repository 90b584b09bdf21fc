#!/usr/bin/env python3
"""Wrappers of OpenSHMEM's calls: generate.py output.cpp nm liboshmem.so. The tables below are the interface (OpenSHMEM 1.4).

Most calls come in a form for each type, with and without a context, blocking and not: a row here is the family, and what it means
is a function of rma.h or order.h. Of these, the calls that the library has are wrapped.
"""
import re
import subprocess
import sys

# Types of puts and gets; those of atomics; those of waiting: the words in names, and C's.
RMA = {
    "float": "float", "double": "double", "longdouble": "long double", "char": "char", "schar": "signed char", "short": "short", "int": "int",
    "long": "long", "longlong": "long long", "uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int",
    "ulong": "unsigned long", "ulonglong": "unsigned long long", "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
    "uint8": "uint8_t", "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t", "size": "size_t", "ptrdiff": "ptrdiff_t",
}
AMO = ["int", "long", "longlong", "uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64", "size", "ptrdiff"]
EXTENDED = ["float", "double", *AMO]
BITWISE = ["int", "long", "longlong", "uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64"]
WAITING = ["short", "int", "long", "longlong", "ushort", "uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64", "size", "ptrdiff"]
# Those that had atomics under other names before OpenSHMEM 1.4.
OLD_AMO = ["int", "long", "longlong"]
OLD_EXTENDED = ["float", "double", *OLD_AMO]
BITS = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}
LOGICAL = ["short", "int", "long", "longlong", "int16", "int32", "int64"]
ARITHMETIC = ["short", "int", "long", "longlong", "float", "double", "longdouble", "int16", "int32", "int64"]
COMPLEX = {"complexf": "std::complex<float>", "complexd": "std::complex<double>"}
# Names of one type: atomics of both exclude each other.
SAME = {"int32": "int", "int64": "long", "uint32": "uint", "uint64": "ulong", "size": "ulong", "ptrdiff": "long"}
ATOMIC_NUMBER = {name: i + 1 for i, name in enumerate(EXTENDED)}
FIELDS = ["context", "remote", "local", "element", "count", "remote_stride", "local_stride", "pe", "type", "is_nonblocking"]

# Operations, whose real call may be made later, and calls that first hold back what they complete. Everything else that is
# called does what was to be done later first: it may wait for somebody who waits for that.
OPERATIONS = {"put", "put_from", "get", "atomic"}
COMPLETES = {"quiet", "barrier", "clear_lock", "reallocate", "release", "destroy_context", "finalize"}
# Calls that may wait for another PE for long: before that, owners of memory are told what they were not yet.
WAITS = {"wait", "set_lock", "broadcast"}

out = []
output, nm, library = sys.argv[1:]
THERE = set(re.findall(r"\b(p(?:shmemx?_\w+|shmalloc|shmemalign|shrealloc|shfree|start_pes))\b", subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout))


def wrapper(result, name, parameters, meaning, used):
    if f"p{name}" not in THERE:
        return
    words = [p.split()[-1].lstrip("*") for p in parameters]
    real = f"[&] {{ return p{name}({', '.join(words)}); }}"
    if meaning == "put_from":
        buffer = next(p.rsplit(" ", 1)[0] for p in parameters if p.endswith(" source"))
        real = f"[=](const void* from) {{ p{name}({', '.join(f'static_cast<{buffer}>(from)' if w == 'source' else w for w in words)}); }}"
    elif meaning in OPERATIONS:
        real = f"hold::Deferrable{{[=] {{ return p{name}({', '.join(words)}); }}}}"
    first = "" if meaning in OPERATIONS | COMPLETES else "  do_deferred();\n"
    first += "  about_to_wait(call);\n" if meaning in WAITS else ""
    if "long* pSync" in parameters:  # a collective: what it works on is symmetric
        first += "".join(f"  look_at_object(call, {w});\n" for w in words if w in ("target", "source", "pWrk", "pSync"))
    out.append(f"""
extern "C" {result} p{name}({", ".join(parameters)});
extern "C" [[gnu::visibility("default")]] {result} {name}({", ".join(parameters)}) {{
  const Outermost outermost;
  if (!outermost) return p{name}({", ".join(words)});
  const LibraryCall call(runtime(), reinterpret_cast<const void*>(&{name}), __builtin_return_address(0));
{first}  return {meaning}(call, {real}{"".join(", " + u for u in used)});
}}
""")


def operation_of(fields):
    return "Operation{" + ", ".join(f".{k} = {fields[k]}" for k in FIELDS if k in fields) + "}"


def with_contexts(result, stem, parameters, meaning, fields, *more):
    """shmem_X and shmem_ctx_X."""
    wrapper(result, f"shmem_{stem}", parameters, meaning, [operation_of(fields), *more])
    wrapper(result, f"shmem_ctx_{stem}", ["shmem_ctx_t ctx", *parameters], meaning, [operation_of({"context": "context_of(ctx)", **fields}), *more])


def transfers():
    forms = [(f"{name}_", c, f"sizeof({c})", "") for name, c in RMA.items()]
    forms += [("", "void", str(size), bits) for bits, size in BITS.items()] + [("", "void", "1", "mem")]
    for prefix, c, size, suffix in forms:
        for blocking in ("", "_nbi"):
            flag = {"is_nonblocking": "true"} if blocking else {}
            plain = [f"{c}* target", f"const {c}* source", "size_t len", "int pe"]
            with_contexts("void", f"{prefix}put{suffix}{blocking}", plain, "put" if blocking else "put_from",
                          {"remote": "target", "local": "source", "element": size, "count": "len", "pe": "pe", **flag})
            with_contexts("void", f"{prefix}get{suffix}{blocking}", plain, "get",
                          {"remote": "source", "local": "target", "element": size, "count": "len", "pe": "pe", **flag})
        if suffix == "mem":
            continue
        strided = [f"{c}* target", f"const {c}* source", "ptrdiff_t tst", "ptrdiff_t sst", "size_t len", "int pe"]
        with_contexts("void", f"{prefix}iput{suffix}", strided, "put_from",
                      {"remote": "target", "local": "source", "element": size, "count": "len", "remote_stride": "tst", "local_stride": "sst", "pe": "pe"})
        with_contexts("void", f"{prefix}iget{suffix}", strided, "get",
                      {"remote": "source", "local": "target", "element": size, "count": "len", "remote_stride": "sst", "local_stride": "tst", "pe": "pe"})
    for name, c in RMA.items():
        with_contexts("void", f"{name}_p", [f"{c}* addr", f"{c} value", "int pe"], "put", {"remote": "addr", "element": f"sizeof({c})", "pe": "pe"})
        with_contexts(c, f"{name}_g", [f"const {c}* addr", "int pe"], "get", {"remote": "addr", "element": f"sizeof({c})", "pe": "pe"})


def atomics():
    def one(name, stem, fetches, values, writes, old="", old_types=(), const=""):
        c = RMA[name]
        fields = {"remote": "target", "element": f"sizeof({c})", "pe": "pe", "type": str(ATOMIC_NUMBER[SAME.get(name, name)])}
        parameters = [f"{const}{c}* target", *(f"{c} {v}" for v in values), "int pe"]
        more = "true" if writes else "false"
        with_contexts(c if fetches else "void", f"{name}_atomic_{stem}", parameters, "atomic", fields, more)
        if name in old_types:
            wrapper(c if fetches else "void", f"shmem_{name}_{old}", parameters, "atomic", [operation_of(fields), more])

    for name in EXTENDED:
        one(name, "fetch", True, [], False, "fetch", OLD_EXTENDED, "const ")
        one(name, "set", False, ["value"], True, "set", OLD_EXTENDED)
        one(name, "swap", True, ["value"], True, "swap", OLD_EXTENDED)
    for name in AMO:
        one(name, "compare_swap", True, ["cond", "value"], True, "cswap", OLD_AMO)
        one(name, "fetch_inc", True, [], True, "finc", OLD_AMO)
        one(name, "inc", False, [], True, "inc", OLD_AMO)
        one(name, "fetch_add", True, ["value"], True, "fadd", OLD_AMO)
        one(name, "add", False, ["value"], True, "add", OLD_AMO)
    for name in BITWISE:
        for operation in ("and", "or", "xor"):
            one(name, operation, False, ["value"], True)
            one(name, f"fetch_{operation}", True, ["value"], True)


def synchronisation():
    for name in WAITING:
        c = RMA[name]
        wrapper("void", f"shmem_{name}_wait_until", [f"volatile {c}* addr", "int cmp", f"{c} value"], "wait", ["addr"])
        wrapper("int", f"shmem_{name}_test", [f"volatile {c}* addr", "int cmp", f"{c} value"], "test", ["addr"])
    for name in ("short", "int", "long", "longlong"):
        wrapper("void", f"shmem_{name}_wait", [f"volatile {RMA[name]}* addr", f"{RMA[name]} value"], "wait", ["addr"])
    wrapper("void", "shmem_wait", ["volatile long* addr", "long value"], "wait", ["addr"])
    for name in ("quiet", "fence"):
        wrapper("void", f"shmem_{name}", [], name, ["nullptr"])
        wrapper("void", f"shmem_ctx_{name}", ["shmem_ctx_t ctx"], name, ["context_of(ctx)"])
    active = ["int PE_start", "int logPE_stride", "int PE_size"]
    these = "ActiveSet{PE_start, logPE_stride, PE_size}"
    for name in ("barrier", "sync"):
        wrapper("void", f"shmem_{name}_all", [], name, ["everybody()"])
        wrapper("void", f"shmem_{name}", [*active, "long* pSync"], name, [these])
    for bits in ("32", "64"):
        plain = ["void* target", "const void* source", "size_t nlong"]
        wrapper("void", f"shmem_broadcast{bits}", [*plain, "int PE_root", *active, "long* pSync"], "broadcast", ["PE_root", these])
        for name in ("collect", "fcollect", "alltoall"):
            wrapper("void", f"shmem_{name}{bits}", [*plain, *active, "long* pSync"], "each_to_each", [these])
        wrapper("void", f"shmem_alltoalls{bits}", ["void* target", "const void* source", "ptrdiff_t dst", "ptrdiff_t sst", "size_t nelems", *active,
                                                   "long* pSync"], "each_to_each", [these])
    families = [("and", LOGICAL), ("or", LOGICAL), ("xor", LOGICAL), ("max", ARITHMETIC), ("min", ARITHMETIC), ("sum", ARITHMETIC), ("prod", ARITHMETIC)]
    for operation, types in families:
        for name, c in [*((t, RMA[t]) for t in types), *(COMPLEX.items() if operation in ("sum", "prod") else [])]:
            wrapper("void", f"shmem_{name}_{operation}_to_all",
                    [f"{c}* target", f"const {c}* source", "int nreduce", *active, f"{c}* pWrk", "long* pSync"], "each_to_each", [these])
    wrapper("void", "shmem_set_lock", ["volatile long* lock"], "set_lock", ["lock"])
    wrapper("void", "shmem_clear_lock", ["volatile long* lock"], "clear_lock", ["lock"])
    wrapper("int", "shmem_test_lock", ["volatile long* lock"], "test_lock", ["lock"])


def memory():
    wrapper("void*", "shmem_malloc", ["size_t size"], "allocate", ["size"])
    wrapper("void*", "shmem_calloc", ["size_t count", "size_t size"], "allocate", ["count * size"])
    wrapper("void*", "shmem_align", ["size_t align", "size_t size"], "allocate", ["size"])
    wrapper("void*", "shmem_realloc", ["void* ptr", "size_t size"], "reallocate", ["ptr", "size"])
    wrapper("void*", "shmem_ptr", ["const void* dest", "int pe"], "direct", ["dest", "pe"])
    wrapper("void", "shmem_free", ["void* ptr"], "release", ["ptr"])
    wrapper("void*", "shmemx_malloc_with_hint", ["size_t size", "long hint"], "allocate", ["size"])
    wrapper("int", "shmem_ctx_create", ["long options", "shmem_ctx_t* ctx"], "create_context", ["ctx"])
    wrapper("void", "shmem_ctx_destroy", ["shmem_ctx_t ctx"], "destroy_context", ["context_of(ctx)"])
    # Names of before OpenSHMEM 1.2.
    wrapper("void*", "shmalloc", ["size_t size"], "allocate", ["size"])
    wrapper("void*", "shmemalign", ["size_t align", "size_t size"], "allocate", ["size"])
    wrapper("void*", "shrealloc", ["void* ptr", "size_t size"], "reallocate", ["ptr", "size"])
    wrapper("void", "shfree", ["void* ptr"], "release", ["ptr"])
    wrapper("void", "start_pes", ["int npes"], "init", [])
    wrapper("void", "shmem_init", [], "init", [])
    wrapper("int", "shmem_init_thread", ["int requested", "int* provided"], "init", [])
    wrapper("void", "shmem_finalize", [], "finalize", [])


transfers()
atomics()
synchronisation()
memory()
with open(output, "w") as file:
    file.write('// Made by generate.py.\n#include "frontends/pgas/shmem/wrap.h"\n\nusing namespace redflag::pgas;\n'
               "using namespace redflag::pgas::shmem;\n" + "".join(out))
