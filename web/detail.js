// One finding in full: what is wrong and what to change first, then the two sides, then the picture.

function showExcerpt(excerpt) {
  const width = String(excerpt.first_line + excerpt.lines.length - 1).length;
  const block = make("pre", { class: "excerpt", "aria-label": "Source excerpt" });
  excerpt.lines.forEach((line, index) => {
    const marked = index === excerpt.marked;
    const number = String(excerpt.first_line + index).padStart(width);
    const code = make("span", { class: "code" });
    const column = marked ? excerpt.column - 1 : -1;
    if (column >= 0 && column < line.length) {
      // The token at the column, or the one character there.
      const token = /^(?:\w+|->|[-+*/&|^<>=!]=|.)/su.exec(line.slice(column));
      const end = column + (token ? token[0].length : 1);
      code.append(line.slice(0, column), make("mark", {}, line.slice(column, end)), line.slice(end));
    } else {
      code.append(line || " ");
    }
    block.append(make("span", { class: marked ? "line marked" : "line" },
      make("span", { class: "number" }, number), code, "\n"));
  });
  return block;
}

function showFrame(frame) {
  if (frame.folded) {
    return make("li", { class: "folded" }, make("details", {}, make("summary", {}, frame.folded),
      make("ol", { class: "stack" }, ...frame.frames.map(showFrame))));
  }
  // A global's declaration has a place but no function. The name is short; the whole one is a hover away.
  const line = [frame.function ? make("span", { class: "function", title: frame.whole ? clean(frame.whole) : null },
                  clean(frame.function)) : null,
                frame.place ? make("span", { class: "place" }, clean(frame.place)) : null];
  if (!frame.excerpt) return make("li", {}, ...line);
  const details = make("details", {}, make("summary", {}, ...line), showExcerpt(frame.excerpt));
  details.open = frame.own;
  return make("li", {}, details);
}

function showStack(stack) {
  if (stack.length === 0) return null;
  return make("ol", { class: "stack" }, ...stack.map(showFrame));
}

function showSide(side) {
  if (side === null) return null;
  const locks = side.locks === null ? [] : side.locks.length === 0 ? [make("span", { class: "none" }, "no lock held")]
    : ["holding ", ...side.locks.map((lock) => make("span", { class: "lock" }, clean(lock)))];
  return make("section", { class: "card", "aria-label": side.title },
    make("h3", {}, side.title),
    make("p", { class: "who" }, make("strong", {}, side.access), side.access ? " by " : "by ",
      make("strong", {}, clean(side.thread))),
    make("p", { class: "locks" }, ...locks),
    showStack(side.stack) || make("p", { class: "none" }, side.no_stack));
}

// Who freed the memory, where threads and locks come from: closed until somebody asks.
function showNotes(notes) {
  if (notes.length === 0) return null;
  return make("section", { class: "card notes", "aria-label": "Threads, locks, memory and kernels" },
    make("h3", {}, "Threads, locks, memory and kernels"),
    ...notes.map((note) => {
      const line = [make("span", { class: "note-label" }, note.label), clean(note.text)];
      return note.stack.length === 0 ? make("p", { class: "note-line" }, ...line)
        : make("details", { class: "note-line" }, make("summary", {}, ...line), showStack(note.stack));
    }));
}

function showInterleaving(finding) {
  if (finding.first === null || finding.first.locks === null) return null;
  return make("section", { class: "card interleaving", "aria-label": "Interleaving" },
    make("h3", {}, "How the threads interleaved"),
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Picture of the interleaving" },
      drawPicture(finding)),
    drawLegend());
}

function showCopy(text) {
  const button = make("button", { type: "button", class: "copy" }, "Copy");
  const code = make("code", {}, text);
  button.addEventListener("click", async () => {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      // A page opened from a file may lack the clipboard: select the text, so that Ctrl-C works.
      getSelection().selectAllChildren(code);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return make("div", { class: "paste" }, code, button);
}

function showChips(finding) {
  return make("p", { class: "chips" },
    make("span", { class: "chip " + finding.severity }, finding.rule),
    finding.baseline === "none" ? null
      : make("span", { class: "chip " + finding.baseline }, finding.baseline),
    finding.count > 1 ? make("span", { class: "chip" }, "seen " + count(finding.count, "time", "times")) : null,
    finding.fingerprint ? make("a", { class: "id", href: "#" + encodeURIComponent(finding.fingerprint),
      title: "Link to this finding" }, elide(finding.fingerprint, 40)) : null);
}

function showFinding(finding) {
  const memory = finding.memory_stack.length === 0 ? null
    : make("section", { class: "card memory", "aria-label": "Where the memory comes from" },
      make("h3", {}, "Where the memory comes from"), showStack(finding.memory_stack));
  return make("article", { class: "finding " + finding.severity },
    showChips(finding),
    make("h2", {}, finding.title + finding.joint, make("code", { class: "memory-name",
      title: finding.memory_whole ? clean(finding.memory_whole) : null }, clean(finding.memory))),
    make("p", { class: "memory-text" }, clean(finding.memory_text)),
    make("dl", { class: "advice" },
      make("dt", {}, "What was missing"), make("dd", {}, clean(finding.missing || finding.explanation)),
      make("dt", {}, "What to change"), make("dd", {}, clean(finding.advice))),
    make("div", { class: finding.first === null ? "single" : "pair" }, showSide(finding.first),
      showSide(finding.second)),
    showInterleaving(finding),
    memory,
    showNotes(finding.notes),
    finding.suppression === "" ? null : make("section", { class: "card", "aria-label": "Suppression" },
      make("h3", {}, "To suppress this finding, add this line to a suppression file"),
      showCopy(finding.suppression)));
}

