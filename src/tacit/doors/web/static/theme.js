// Before anything is drawn: the theme that the reader chose, else the one of their system.
"use strict";
(() => {
  const chosen = localStorage.getItem("tacit-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
