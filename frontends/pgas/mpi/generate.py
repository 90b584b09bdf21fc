#!/usr/bin/env python3
"""Wrappers of MPI's calls from calls.txt: generate.py c|fortran calls.txt output.cpp

A wrapper enters the call, gives what it means (the function named in the table) the real call and the parameters, and
returns what comes back. Calls within calls, MPI's own or those of a Fortran library that is made of the C one, go straight
through. Fortran's wrappers convert handles for the meaning and hand the program's own arguments on to the real call.
"""
import re
import sys

HANDLES = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Group": "Group", "MPI_Info": "Info", "MPI_Op": "Op", "MPI_Request": "Request", "MPI_Message": "Message",
           "MPI_Win": "Win"}
# Operations, whose real call may be made later, and calls that first hold back what they complete. Everything else that is
# called does what was to be done later first: it may wait for somebody who waits for that.
OPERATIONS = {"put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap"}
COMPLETES = {"win_fence", "win_complete", "win_unlock", "win_unlock_all", "win_flush", "win_flush_all", "win_flush_local", "win_flush_local_all", "win_free",
             "rput", "rget", "raccumulate", "rget_accumulate", "wait_one", "wait_all", "wait_any", "wait_some"}
# Calls that may wait for another rank for long: before that, owners of memory are told what they were not yet.
WAITS = {"ssend", "recv", "sendrecv", "sendrecv_replace", "mprobe", "mrecv", "wait_one", "wait_all", "wait_any", "wait_some", "win_start", "win_wait",
         "from_root", "to_root", "prefix", "neighbours"}
# Calls whose Fortran form has other parameters: written by hand in fortran.cpp.
OTHER_IN_FORTRAN = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"}


def rows(path):
    for number, line in enumerate(open(path), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        match = re.fullmatch(r"(\w+)\((.*?)\)\s+int (MPI_\w+)\((.*)\)", line)
        if match is None:
            sys.exit(f"{path}:{number}: expected: meaning(parameters)  int MPI_Name(parameters)")
        meaning, used, name, parameters = match.groups()
        parsed = []
        for parameter in filter(None, (p.strip() for p in parameters.split(","))):
            array = parameter.endswith("[]")
            kind, word = re.fullmatch(r"(.*?)\s*(\w+)(?:\[\])?", parameter).groups()
            parsed.append((kind, word, array))
        words = [w for _, w, _ in parsed]
        used, *buffers = [part.strip() for part in used.split(";")]
        used = words if used == "*" else [u.strip() for u in used.split(",") if u.strip()]
        for word in used:
            if word not in words:
                sys.exit(f"{path}:{number}: {name} has no parameter {word}")
        yield meaning, used, name, parsed, [b.split() for b in buffers]


def declared(parameters):
    return ", ".join(f"{kind} {word}{'[]' if array else ''}" for kind, word, array in parameters)


def status_of(parameters):
    return next((word for kind, word, _ in parameters if kind == "MPI_Status" or kind == "MPI_Status*"), None)


WHERE = {"": "Where::kAll", "root": "Where::kRoot", "others": "Where::kOthers"}


def told_buffers(buffers, used, given):
    """Before the real call: what a collective reads and writes; and behind a nonblocking one, what its request completes."""
    if not buffers:
        return "", ""
    rows = []
    for how, address, count, kind in buffers:
        way, _, where = how.partition("@")
        number, _, each = count.partition("*")
        rows.append(f"{{{given[address]}, {given[number]}, {given[kind]}, {'true' if way == 'w' else 'false'}, {'true' if each else 'false'}, {WHERE[where]}}}")
    root = given["root"] if "root" in given else "-1"
    if "request" in used:
        before = f"  const std::uint64_t under_way = begin_buffers(call, {given['comm']}, {root}, {{{', '.join(rows)}}});\n"
        return before, f"  attach_buffers({given['request']}, under_way);\n"
    return f"  use_buffers(call, {given['comm']}, {root}, {{{', '.join(rows)}}});\n", ""


def first_of(meaning):
    return (("" if meaning in OPERATIONS else "  other_call();\n") + ("" if meaning in OPERATIONS | COMPLETES else "  do_deferred();\n") +
            ("  about_to_complete(call, __builtin_frame_address(0));\n" if meaning in COMPLETES else "") + ("  about_to_wait(call);\n" if meaning in WAITS else ""))


def c_wrapper(meaning, used, name, parameters, buffers):
    status = status_of(parameters)
    words = [w for _, w, _ in parameters]
    real = ", ".join("to" if w == status else w for w in words)
    plain = ", ".join(words)
    argument = "(MPI_Status* to)" if status else ""
    given = "".join(f", {w}" for w in used)
    before, after = told_buffers(buffers, used, {w: w for w in words})
    call = f"[&]{argument} {{ return P{name}({real}); }}"
    if meaning in OPERATIONS:
        call = f"hold::Deferrable{{[=] {{ return P{name}({real}); }}}}"
    result = f"{meaning}(call, {call}{given})"
    if after:
        result = f"const int result = {result};\n{after}  return result"
    else:
        result = f"return {result}"
    return f"""
extern "C" [[gnu::visibility("default")]] int {name}({declared(parameters)}) {{
  const Outermost outermost;
  if (!outermost) return P{name}({plain});
  const LibraryCall call(runtime(), reinterpret_cast<const void*>(&{name}), ThroughFortran::caller(__builtin_return_address(0)));
{first_of(meaning)}{before}  {result};
}}
"""


def fortran_wrapper(meaning, used, name, parameters, buffers, suffix):
    lower = name.lower()
    symbol = f"{lower}{suffix}"
    status = status_of(parameters)
    count = "count"
    before, after, given, types = [], [], {}, []
    for kind, word, array in parameters:
        base = kind.replace("const ", "").rstrip("*").strip()
        if base == "void":
            types.append(f"void* {word}")
            given[word] = f"address_of({word})"
        elif base == "MPI_Status":
            types.append(f"MPI_Fint* {word}")
            given[word] = "MPI_STATUSES_IGNORE" if array else "MPI_STATUS_IGNORE"
        elif base in HANDLES:
            types.append(f"MPI_Fint* {word}")
            convert = f"PMPI_{HANDLES[base]}_f2c"
            if array and word not in used:
                given[word] = word
            elif array:
                before.append(f"std::vector<{base}> {word}_made(static_cast<std::size_t>(*{count}));")
                before.append(f"for (int i = 0; i < *{count}; ++i) {word}_made[static_cast<std::size_t>(i)] = {convert}({word}[i]);")
                given[word] = f"{word}_made.data()"
            elif kind.endswith("*"):
                before.append(f"{base} {word}_made = {convert}(*{word});")
                after.append(f"{word}_made = {convert}(*{word});")
                given[word] = f"&{word}_made"
            else:
                given[word] = f"{convert}(*{word})"
        elif base == "MPI_Aint":
            types.append(f"MPI_Aint* {word}")
            given[word] = word if array else f"*{word}"
        elif array:
            types.append(f"MPI_Fint* {word}")
            if word == "indices":  # Fortran counts from 1
                before.append(f"std::vector<int> {word}_made(static_cast<std::size_t>(*{count}));")
                after.append(f"for (int i = 0; i < *{count}; ++i) {word}_made[static_cast<std::size_t>(i)] = {word}[i] - 1;")
                given[word] = f"{word}_made.data()"
            else:
                given[word] = word
        else:
            types.append(f"MPI_Fint* {word}")
            if word == "index":
                before.append(f"int {word}_made = 0;")
                after.append(f"{word}_made = *{word} - 1;")
                given[word] = f"&{word}_made"
            else:
                given[word] = word if kind.endswith("*") else f"*{word}"
    words = [w for _, w, _ in parameters]
    signature = ", ".join([*types, "MPI_Fint* ierr"])
    plain = ", ".join([*words, "ierr"])
    raw = ", ".join([*("statuses_there" if w == status else w for w in words), "error"])
    used_before = [b for b in before if any(f"{u}_made" in b for u in used)]
    used_after = [a for a in after if any(f"{u}_made" in a for u in used)]
    tell, attach = told_buffers(buffers, used, given)
    lines = [*first_of(meaning).splitlines(), *(f"  {b}" for b in used_before)]
    if tell:
        lines.append(tell.rstrip())
    argument = "(MPI_Status* to)" if status else ""
    lines.append("  MPI_Fint own_error = 0;")
    lines.append("  MPI_Fint* const error = ierr == nullptr ? &own_error : ierr;")
    lines.append(f"  {meaning}(call, [&]{argument} {{")
    is_many = any(w == status and a for _, w, a in parameters)
    if status:
        lines.append(f"    FortranStatuses there({status}, {f'*{count}' if is_many else '1'});")
        lines.append("    MPI_Fint* const statuses_there = there.data();")
    lines.append(f"    real({raw});")
    lines += [f"    {a}" for a in used_after]
    if status:
        lines.append("    there.convert(to);")
    lines.append("    return static_cast<int>(*error);")
    lines.append("  }" + "".join(f", {given[u]}" for u in used) + ");")
    if attach:
        lines.append(attach.rstrip())
    body = "\n".join(lines)
    return f"""
extern "C" [[gnu::visibility("default")]] void {symbol}({signature}) {{
  using Real = void (*)({", ".join([*(t.rsplit(" ", 1)[0] for t in types), "MPI_Fint*"])});
  static const Real real = real_of<Real>("p{symbol}");
  const Outermost outermost;
  if (!outermost) return real({plain});
  const LibraryCall call(runtime(), reinterpret_cast<const void*>(&{symbol}), __builtin_return_address(0));
{body}
}}
"""


def fortran_place(name, parameters):
    """MPICH's functions of mpi_f08 with buffers of any shape: they call C's, which are followed; the place is that of the outer call."""
    symbol = f"{name.lower()}_f08ts_"
    words = [f"a{i}" for i in range(len(parameters) + 1)]
    return f"""
extern "C" [[gnu::visibility("default")]] void {symbol}({", ".join(f"void* {w}" for w in words)}) {{
  using Real = void (*)({", ".join("void*" for _ in words)});
  static const Real real = real_of<Real>("p{symbol}");
  const ThroughFortran place(__builtin_return_address(0));
  real({", ".join(words)});
}}
"""


def main():
    language, table, output = sys.argv[1:]
    text = f"// Made by generate.py of calls.txt.\n#include \"frontends/pgas/mpi/wrap.h\"\n\nusing namespace redflag::pgas;\nusing namespace redflag::pgas::mpi;\n"
    for row in rows(table):
        if language == "c":
            text += c_wrapper(*row)
        elif row[2] not in OTHER_IN_FORTRAN:
            text += fortran_wrapper(*row, "_") + fortran_wrapper(*row, "_f08_")
            if any(kind.endswith("void*") for kind, _, _ in row[3]):
                text += fortran_place(row[2], row[3])
    with open(output, "w") as out:
        out.write(text)


main()
