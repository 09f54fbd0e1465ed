// A file that is dropped is as good as one that was chosen.
"use strict";

for (const place of document.querySelectorAll("[data-drop]")) {
  const input = place.querySelector("input[type=file]");
  for (const hint of place.querySelectorAll(".drop-hint")) hint.hidden = false;
  for (const kind of ["dragenter", "dragover"]) {
    place.addEventListener(kind, (event) => { event.preventDefault(); place.classList.add("over"); });
  }
  place.addEventListener("dragleave", (event) => {
    if (!place.contains(event.relatedTarget)) place.classList.remove("over");
  });
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    input.form.requestSubmit();
  });
}
