// Times in the reader's zone, the theme, and keys.
"use strict";
(() => {
  const folder = document.body.dataset.folder;
  const format = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});

  function localTimes(root) {
    for (const one of root.querySelectorAll("time[datetime]")) {
      const at = new Date(one.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      one.title = one.textContent;
      one.textContent = format.format(at);
    }
  }

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  document.getElementById("theme").addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem("tacit-theme", next);
    document.dispatchEvent(new Event("tacit:theme"));
  });

  localTimes(document);
  document.addEventListener("htmx:afterSwap", (event) => localTimes(event.detail.target));

  const lessons = [...document.querySelectorAll("[data-lesson]")];
  function chosen() {
    return lessons.findIndex((one) => one.contains(document.activeElement));
  }
  function choose(index) {
    if (!lessons.length) return;
    const one = lessons[Math.max(0, Math.min(index, lessons.length - 1))];
    one.focus({preventScroll: true});
    if (index > 0) one.scrollIntoView({block: "nearest"});
  }
  const list = document.querySelector(".lessons");
  if (list) choose(Number(list.dataset.at));

  function leaveEdit(field) {
    const open = document.querySelector("details.edit[open]");
    const cancel = document.querySelector('[data-key="Escape"]');
    field.blur();
    if (cancel) {
      cancel.click();
    } else if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  }

  const pages = {t: "/", s: "/search", r: "/review", p: "/procedures"};
  let wantsPage = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      leaveEdit(event.target);
      return;
    }
    if (event.target.closest("input, textarea, select")) return;
    if (wantsPage) {
      wantsPage = false;
      if (pages[event.key]) location.href = folder + pages[event.key];
      return;
    }
    if (event.key === "g") {
      wantsPage = true;
    } else if (event.key === "/") {
      event.preventDefault();
      const box = document.getElementById("q");
      if (box) box.focus();
      else location.href = `${folder}/search`;
    } else if (lessons.length && (event.key === "j" || event.key === "k")) {
      choose(chosen() + (event.key === "j" ? 1 : -1));
    } else if (lessons.length && "aedo".includes(event.key)) {
      const at = chosen();
      if (at >= 0) lessons[at].querySelector(`[data-key="${event.key}"]`).click();
    }
  });
})();
