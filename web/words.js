// Small helpers of the viewer: elements, text, numbers.
//
// The page is built only from createElement and textContent; nothing from the report is ever parsed
// as HTML. Names stay whole in the page (they wrap); where a line must stay short they are elided in
// the middle, because C++ names differ at both ends, and the whole name is in the tooltip.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

// make("p", {class: "x", title: t}, child, child...): children are nodes or strings; null is left out.
function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

// Control characters would draw nothing: show that they are there. Line separators stay inside.
function clean(text) {
  return String(text).replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => c.charCodeAt(0) < 256 ? "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0")
                                 : "\\u{" + c.charCodeAt(0).toString(16) + "}");
}

function elide(text, most) {
  const whole = clean(text);
  if (whole.length <= most) return whole;
  const tail = Math.floor((most - 1) / 2);
  return whole.slice(0, most - 1 - tail) + "…" + whole.slice(whole.length - tail);
}

function count(number, one, many) {
  return number.toLocaleString("en") + " " + (number === 1 ? one : many);
}

function baseName(path) {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

