// The filters: each narrows the list, all together. A select offers only what occurs.

const kAll = "";

function sidesOf(finding) {
  return [finding.first, finding.second].filter((side) => side !== null);
}

function framesOf(finding) {
  return sidesOf(finding).flatMap((side) => side.stack).flatMap((line) => line.folded ? line.frames : [line]);
}

function filesOf(finding) {
  return new Set(framesOf(finding).map((frame) => frame.file).filter((file) => file));
}

// What the search looks through: everything a person can read in the detail.
function searchText(finding) {
  const parts = [finding.title, finding.memory, finding.memory_text, finding.missing, finding.advice,
    finding.rule, finding.fingerprint, ...sidesOf(finding).flatMap((side) => [side.thread, ...(side.locks || [])]),
    ...finding.notes.map((note) => note.text),
    finding.memory_whole,
    ...framesOf(finding).flatMap((frame) => [frame.function, frame.whole || "", frame.place])];
  return parts.join("\n").toLowerCase();
}

const kFilters = [
  { id: "filter-rule", all: "All rules", values: (f) => [f.rule], show: (v) => v },
  { id: "filter-state", all: "New and known", values: (f) => f.baseline === "none" ? [] : [f.baseline],
    show: (v) => v === "new" ? "Only new" : "Only known" },
  { id: "filter-file", all: "All files", values: (f) => [...filesOf(f)], show: baseName },
  { id: "filter-thread", all: "All threads", values: (f) => sidesOf(f).map((side) => side.thread), show: (v) => v },
];

function byName(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

function fillSelects(findings) {
  for (const filter of kFilters) {
    const select = document.getElementById(filter.id);
    const counts = new Map();
    for (const finding of findings) {
      for (const value of new Set(filter.values(finding))) counts.set(value, (counts.get(value) || 0) + 1);
    }
    select.append(make("option", { value: kAll }, filter.all));
    for (const value of [...counts.keys()].sort(byName)) {
      select.append(make("option", { value: "=" + value, title: clean(value) },
        `${elide(filter.show(value), 36)} (${counts.get(value)})`));
    }
    select.hidden = counts.size === 0;
  }
}

// A function that says whether a finding passes the filters as they stand now.
function currentFilter() {
  const words = document.getElementById("filter-text").value.toLowerCase().split(/\s+/).filter((w) => w);
  const chosen = kFilters.map((filter) => [filter, document.getElementById(filter.id).value])
    .filter(([, value]) => value !== kAll);
  return (finding) =>
    chosen.every(([filter, value]) => filter.values(finding).some((one) => "=" + one === value)) &&
    (words.length === 0 || (finding.search ??= searchText(finding), words.every((w) => finding.search.includes(w))));
}

