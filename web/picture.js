// The picture of the interleaving: a lane for each thread, time from top to bottom.
//
// Each step is a mark on its thread's lane, in trace order. A blue arrow is synchronisation that
// took place: everything above its tail happened before everything below its head. The two accesses
// are red, and the red dashed line between them is the order that is missing. Lanes are in the order
// in which the threads first appear. A finding without recorded steps shows its two accesses.

const kLane = { wide: 300, narrow: 215, head: 52, row: 48, gap: 26, left: 42, foot: 4 };

function stepsOf(finding) {
  if (finding.steps.length > 0) return finding.steps;
  return ["first", "second"].filter((role) => finding[role] !== null).map((role) => {
    const frames = finding[role].stack.flatMap((line) => line.folded ? line.frames : [line]);
    const top = frames.find((frame) => frame.own) || frames[0];
    return { thread: finding[role].number, role, what: finding[role].access,
             function: top ? top.function : "", place: top ? top.place : "" };
  });
}

function threadNames(finding) {
  return new Map(sidesOf(finding).map((side) => [side.number, side.thread]));
}

// One label of at most two lines beside a mark, elided to the width of its lane.
function stepLabel(step, x, y, width) {
  const place = step.place || step.function;
  const label = makeSvg("g", { class: "label" });
  label.append(
    makeSvg("title", {}, clean(step.what + (place ? "\n" + step.function + " " + step.place : ""))),
    makeSvg("text", { x: x + 16, y: place ? y - 1 : y + 4, class: "what" },
      elide(step.what, Math.floor((width - 52) / 7.4))));
  if (place) {
    label.append(makeSvg("text", { x: x + 16, y: y + 13, class: "where" },
      elide(place, Math.floor((width - 52) / 6.7))));
  }
  return label;
}

// Down into the gap between two rows of labels, across, and into the head's mark from the left,
// where no label stands. `slot` keeps arrows into the same lane apart.
function arrowPath(x1, y1, x2, y2, slot) {
  const gap = y1 + kLane.gap;
  const side = x2 - 15 - slot * 5;
  const turn = side > x1 ? 6 : -6;
  return `M${x1} ${y1 + 5} V${gap - 6} Q${x1} ${gap} ${x1 + turn} ${gap} ` +
    `H${side - turn} Q${side} ${gap} ${side} ${gap + 6} V${y2 - 6} Q${side} ${y2} ${side + 6} ${y2} H${x2 - 8}`;
}

function arrowHead(x, y) {
  return makeSvg("path", { class: "arrow-head", d: `M${x - 12} ${y - 4} L${x - 5.5} ${y} L${x - 12} ${y + 4} Z` });
}

// The missing order: a dashed line between the accesses, with its name in a gap between two rows.
function drawMissing(steps, x, y) {
  const first = steps.findIndex((step) => step.role === "first");
  const second = steps.findIndex((step) => step.role === "second");
  if (first < 0 || second < 0) return null;
  const [x1, y1, x2, y2] = [x(steps[first].thread), y(first), x(steps[second].thread), y(second)];
  // Of the two gaps nearest to the middle, the one farther from a label: labels stand to the right.
  const row = Math.floor((first + second - (x2 < x1 ? 1 : 0)) / 2);
  const middle = y(row) + kLane.gap;
  const at = y1 === y2 ? 0.5 : (middle - y1) / (y2 - y1);
  const center = x1 + (x2 - x1) * at;
  return makeSvg("g", { class: "missing" },
    makeSvg("title", {}, "nothing orders these two accesses"),
    makeSvg("line", { class: "missing-line", x1, y1, x2, y2 }),
    makeSvg("rect", { class: "missing-box", x: center - 34, y: middle - 9, width: 68, height: 18, rx: 9 }),
    makeSvg("text", { class: "missing-text", x: center, y: middle + 4, "text-anchor": "middle" }, "no order"));
}

function drawPicture(finding) {
  const steps = stepsOf(finding);
  const names = threadNames(finding);
  const threads = [...new Set(steps.map((step) => step.thread))];
  const width = threads.length > 3 ? kLane.narrow : kLane.wide;
  const x = (thread) => kLane.left + threads.indexOf(thread) * width;
  const y = (index) => kLane.head + 26 + index * kLane.row;
  const bottom = y(steps.length - 1) + 26;

  const lanes = makeSvg("g", { class: "lanes" });
  for (const thread of threads) {
    const name = names.get(thread) || "T" + thread;
    const racing = names.has(thread);
    lanes.append(
      makeSvg("line", { class: "lane", x1: x(thread), x2: x(thread), y1: kLane.head - 8, y2: bottom }),
      makeSvg("g", { class: racing ? "lane-name racing" : "lane-name" },
        makeSvg("title", {}, clean(name)),
        makeSvg("text", { x: x(thread) - 5, y: 26 }, elide(name, Math.floor((width - 16) / 8)))));
  }

  const arrows = makeSvg("g", { class: "arrows" });
  const slots = new Map();
  for (const [from, to] of finding.arrows) {
    if (from >= steps.length || to >= steps.length) continue;
    const [x1, y1, x2, y2] = [x(steps[from].thread), y(from), x(steps[to].thread), y(to)];
    const slot = slots.get(x2) || 0;
    slots.set(x2, (slot + 1) % 4);
    arrows.append(makeSvg("g", { class: "arrow" },
      makeSvg("title", {}, clean(steps[from].what + " happens before " + steps[to].what)),
      makeSvg("path", { class: "arrow-line", d: arrowPath(x1, y1, x2, y2, slot) }), arrowHead(x2, y2)));
  }

  const marks = makeSvg("g", { class: "marks" });
  const labels = makeSvg("g", { class: "labels" });
  steps.forEach((step, index) => {
    const racing = step.role !== "sync";
    marks.append(makeSvg("circle", { class: racing ? "mark racing" : "mark",
      cx: x(step.thread), cy: y(index), r: racing ? 7 : 4.5 }));
    labels.append(stepLabel(step, x(step.thread), y(index), width));
    if (racing) labels.lastChild.classList.add("racing");
  });

  const total = kLane.left + (threads.length - 1) * width + Math.max(width, 220);
  const height = bottom + kLane.foot;
  const describe = `Interleaving of ${count(threads.length, "thread", "threads")}: ` +
    steps.map((step) => `${names.get(step.thread) || "T" + step.thread}: ${step.what}`).join("; ") +
    ". Nothing orders the two accesses.";
  return makeSvg("svg", { class: "picture", role: "img", "aria-label": clean(describe),
    viewBox: `0 0 ${total} ${height}`, width: total, height },
  lanes, arrows, drawMissing(steps, x, y), marks, labels);
}

function drawLegend() {
  const entry = (drawing, text) => make("li", {},
    makeSvg("svg", { viewBox: "0 0 32 14", width: 32, height: 14, "aria-hidden": "true" }, ...drawing), text);
  return make("ul", { class: "legend", "aria-label": "Legend" },
    entry([makeSvg("circle", { class: "mark racing", cx: 16, cy: 7, r: 6 })], "racing access"),
    entry([makeSvg("circle", { class: "mark", cx: 16, cy: 7, r: 4.5 })], "synchronisation step"),
    entry([makeSvg("path", { class: "arrow-line", d: "M2 7 H24" }),
           makeSvg("path", { class: "arrow-head", d: "M23 2.5 L30 7 L23 11.5 Z" })], "happened before"),
    entry([makeSvg("line", { class: "missing-line", x1: 2, y1: 7, x2: 30, y2: 7 })], "missing order"));
}

