// What the pages do beyond HTML. Without it they work all the same, but for what only a script can do.
"use strict";

// Buttons that put a text on the clipboard.
function offerCopying(root) {
  for (const button of root.querySelectorAll("button[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
}

// A set-up code comes behind the `#` of a link, which no browser sends to a server; nor does it stay in the history.
function takeSetUpCode() {
  const field = document.querySelector('form[action="/portal/set-up"] input[name="code"]');
  if (field && location.hash.length > 1) {
    field.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
    document.getElementById("password").focus();
  }
}

// Forms that filter a list go by themselves when something is chosen.
function sendWhenChosen(root) {
  for (const form of root.querySelectorAll("form[data-send-when-chosen]")) {
    form.addEventListener("change", (event) => {
      if (event.target.matches("select, input[type=checkbox]")) form.requestSubmit();
    });
  }
}

// What is live can wait until there is something to see; in a tab in the background, until somebody looks. htmx itself
// waits for an event that is over by then, unless the page is complete.
function bringLater(address) {
  if (!address) return;
  const bring = () => {
    const script = document.createElement("script");
    script.src = address;
    document.head.append(script);
  };
  addEventListener("load", () => {
    if (!PerformanceObserver.supportedEntryTypes.includes("paint")) return bring();
    new PerformanceObserver((_, observer) => {
      observer.disconnect();
      bring();
    }).observe({ type: "paint", buffered: true });
  });
}

bringLater(document.currentScript.dataset.later);
for (const enhance of [offerCopying, sendWhenChosen]) enhance(document);
takeSetUpCode();
document.addEventListener("htmx:afterSwap", (event) => offerCopying(event.target));
