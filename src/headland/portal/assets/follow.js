// A batch that is watched: its state as the server tells of it, and its log, which grows, is searched and followed.
"use strict";

// Lines that a page keeps; the download has all.
const MOST_LINES = 20000;

// What the server tells of a part of the page is that part's new content.
function followState(place) {
  const source = new EventSource(place.dataset.follow);
  for (const part of ["state", "acts"]) {
    source.addEventListener(part, (event) => { document.getElementById(`job-${part}`).innerHTML = event.data; });
  }
  source.addEventListener("end", () => { source.close(); });
}

function followLog(log) {
  const find = document.getElementById("log-find");
  const stick = document.getElementById("log-stick");
  const found = document.getElementById("log-found");
  for (const part of document.querySelectorAll("[data-needs-script]")) part.hidden = false;

  const toTheEnd = () => { if (stick.checked) log.scrollTop = log.scrollHeight; };
  const sift = (line, wanted) => {
    const text = line.textContent;
    const at = wanted ? text.toLowerCase().indexOf(wanted) : -1;
    line.classList.toggle("off", wanted !== "" && at < 0);
    if (at < 0) {
      if (line.firstElementChild) line.textContent = text;
      return 0;
    }
    const mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + wanted.length);
    line.replaceChildren(text.slice(0, at), mark, text.slice(at + wanted.length));
    return 1;
  };
  const siftAll = () => {
    const wanted = find.value.toLowerCase();
    let number = 0;
    for (const line of log.children) number += sift(line, wanted);
    found.textContent = wanted ? `${number} lines have it.` : "";
    toTheEnd();
  };
  find.addEventListener("input", siftAll);
  stick.addEventListener("change", toTheEnd);
  toTheEnd();
  if (!log.dataset.follow) return;

  let waiting = [];
  const show = () => {
    const lines = document.createDocumentFragment();
    const wanted = find.value.toLowerCase();
    for (const text of waiting) {
      const line = document.createElement("span");
      line.textContent = `${text}\n`;
      sift(line, wanted);
      lines.append(line);
    }
    waiting = [];
    log.append(lines);
    while (log.childElementCount > MOST_LINES) log.firstElementChild.remove();
    toTheEnd();
  };
  // The browser comes back by itself, with the last id: no line is lost, or there twice.
  const source = new EventSource(log.dataset.follow);
  source.addEventListener("message", (event) => {
    if (waiting.push(event.data) === 1) requestAnimationFrame(show);
  });
  source.addEventListener("end", () => { source.close(); });
}

const state = document.querySelector("#job-state[data-follow]");
if (state) followState(state);
const log = document.getElementById("log");
if (log) followLog(log);
