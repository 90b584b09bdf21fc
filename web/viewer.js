// The page: header, list, selection, keys. The report is in the JSON element; nothing is fetched.

const report = JSON.parse(document.getElementById("data").textContent);
const findings = report.findings;
const list = document.getElementById("list");
const detail = document.getElementById("detail");
const state = { shown: findings.map((_, index) => index), selected: -1 };

// The link of a finding: its fingerprint, or its place where it has none.
function linkOf(index) {
  return findings[index].fingerprint || "finding-" + (index + 1);
}

function showHeader() {
  const predictions = findings.filter((finding) => finding.severity === "note").length;
  const misuses = findings.filter((finding) => finding.misuse).length;
  const races = findings.length - predictions - misuses;
  const fresh = findings.filter((finding) => finding.baseline === "new").length;
  const compared = findings.some((finding) => finding.baseline !== "none");
  const parts = [races === 0 ? "No races" : count(races, "race", "races"),
    predictions > 0 ? count(predictions, "prediction", "predictions") : null,
    misuses > 0 ? count(misuses, "misuse", "misuses") : null,
    compared ? fresh.toLocaleString("en") + " new" : null,
    report.suppressed > 0 ? Number(report.suppressed).toLocaleString("en") + " suppressed" : null,
    report.dropped > 0 ? Number(report.dropped).toLocaleString("en") + " beyond the limit" : null];
  const counts = document.getElementById("counts");
  parts.filter((part) => part !== null).forEach((part, index) => {
    const kind = index > 0 ? "" : races === 0 ? "good" : "bad";
    counts.append(make("span", { class: "count " + kind }, part));
  });
  const about = document.getElementById("about");
  const facts = [["Input", report.input], ["Detector", report.detector],
    ["Events", report.events > 0 ? Number(report.events).toLocaleString("en") : ""],
    ["Command", report.command]];
  for (const [name, value] of facts) {
    if (!value) continue;
    about.append(make("div", { class: "fact " + name.toLowerCase() }, make("dt", {}, name),
      make("dd", { title: clean(value) }, clean(value))));
  }
}

function showUnchecked() {
  const line = document.getElementById("unchecked");
  line.textContent = clean(report.unchecked);
  line.hidden = report.unchecked === "";
}

function showList() {
  findings.forEach((finding, index) => {
    const link = make("a", { class: "item " + finding.severity, href: "#" + encodeURIComponent(linkOf(index)) },
      make("span", { class: "item-memory", title: clean(finding.memory) }, elide(finding.memory, 60)),
      make("span", { class: "item-rule" }, finding.rule,
        finding.baseline === "none" ? null : make("span", { class: "state " + finding.baseline }, finding.baseline),
        finding.count > 1 ? make("span", { class: "times" }, "×" + finding.count.toLocaleString("en")) : null),
      make("span", { class: "item-pair", title: clean(sidesOf(finding).map((side) => side.function).join("  /  ")) },
        ...sidesOf(finding).flatMap((side, at) => [at > 0 ? make("br") : null, elide(side.function, 44)])));
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      select(index);
    });
    // The heading of findings with one cause stands above the first that is shown.
    list.append(make("li", {}, make("p", { class: "item-group", hidden: "" }, clean(finding.group)), link));
  });
}

function emptySummary() {
  const events = report.events > 0 ? count(Number(report.events), "event", "events") : "the run";
  return `${report.detector ? clean(report.detector) : "The detector"} looked at ${events}.`;
}

function select(index) {
  if (state.selected >= 0) list.children[state.selected].lastChild.removeAttribute("aria-current");
  state.selected = index;
  detail.scrollTop = 0;
  if (index < 0) {
    const clear = findings.length === 0;
    detail.replaceChildren(make("div", { class: "nothing" + (clear ? " good" : "") },
      make("p", { class: "big" }, clear ? "No data races were found." : "No finding matches the filters."),
      make("p", {}, clear ? emptySummary() : "Clear the filters to see all of them.")));
    return;
  }
  const item = list.children[index].lastChild;
  item.setAttribute("aria-current", "true");
  item.scrollIntoView({ block: "nearest" });
  detail.replaceChildren(showFinding(findings[index]));
  history.replaceState(null, "", "#" + encodeURIComponent(linkOf(index)));
}

function applyFilters() {
  const passes = currentFilter();
  state.shown = [];
  let group = "";
  findings.forEach((finding, index) => {
    const visible = passes(finding);
    const item = list.children[index];
    item.hidden = !visible;
    item.firstChild.hidden = true;
    if (!visible) return;
    item.classList.toggle("grouped", finding.group !== "");
    item.firstChild.hidden = finding.group === "" || finding.group === group;
    group = finding.group;
    state.shown.push(index);
  });
  document.getElementById("shown").textContent = state.shown.length === findings.length
    ? count(findings.length, "finding", "findings")
    : `${state.shown.length.toLocaleString("en")} of ${count(findings.length, "finding", "findings")}`;
  document.getElementById("clear").hidden = state.shown.length === findings.length;
  if (!state.shown.includes(state.selected)) select(state.shown.length > 0 ? state.shown[0] : -1);
}

function move(by) {
  const at = state.shown.indexOf(state.selected) + by;
  if (at >= 0 && at < state.shown.length) select(state.shown[at]);
}

function linked() {
  let wanted = location.hash.slice(1);
  try {
    wanted = decodeURIComponent(wanted);
  } catch {
    // A hand-made link may hold a stray percent sign; then it is taken as it is.
  }
  return findings.findIndex((_, index) => linkOf(index) === wanted);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "/") document.getElementById("filter-text").focus();
  else return;
  event.preventDefault();
}

// On paper there is nothing to click: all shown findings, one after the other, stacks open.
function preparePrint() {
  const pages = state.shown.map((index) => showFinding(findings[index]));
  for (const page of pages) for (const part of page.querySelectorAll("details")) part.open = true;
  document.getElementById("print").replaceChildren(...pages);
}

function start() {
  document.getElementById("app").hidden = false;
  showHeader();
  showUnchecked();
  showList();
  fillSelects(findings);
  document.body.classList.toggle("empty", findings.length === 0);
  const filters = document.getElementById("filters");
  filters.addEventListener("input", applyFilters);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", () => setTimeout(applyFilters));
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", () => { const index = linked(); if (index >= 0) select(index); });
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", () => document.getElementById("print").replaceChildren());
  const index = linked();
  if (index >= 0) select(index);
  applyFilters();
  if (findings.length === 0) select(-1);
}

start();
