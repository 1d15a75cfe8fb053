"use strict";
(() => {
  const controls = document.querySelector(".controls");
  const tables = [...document.querySelectorAll("table.results")];
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const plan = new Map(rows.map((row, index) => [row, index]));
  const numeric = ["ratio", "baseline", "other", "verdict"];
  const { text, kind, status, sort, down } = controls.elements;
  const output = controls.querySelector("output");

  const compare = (key, sign) => (a, b) => {
    const [x, y] = [a.dataset[key], b.dataset[key]];
    if (!x || !y) return Number(!x) - Number(!y) || plan.get(a) - plan.get(b);
    const order = numeric.includes(key) ? Number(x) - Number(y) : x.localeCompare(y);
    return sign * order || plan.get(a) - plan.get(b);
  };

  const arrange = () => {
    const key = sort.value;
    for (const table of tables) {
      const body = table.tBodies[0];
      const order = key ? compare(key, down.checked ? -1 : 1) : (a, b) => plan.get(a) - plan.get(b);
      body.append(...[...body.rows].sort(order));
      for (const head of table.tHead.querySelectorAll("[data-key]")) {
        if (head.dataset.key !== key) head.removeAttribute("aria-sort");
        else head.setAttribute("aria-sort", down.checked ? "descending" : "ascending");
      }
    }
  };

  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = row.textContent.toLowerCase().includes(wanted)
        && (!kind.value || row.dataset.kind === kind.value)
        && (!status.value || row.dataset.status.split(" ").includes(status.value));
      row.hidden = !fits;
      shown += Number(fits);
    }
    output.textContent = output.dataset.shown.replace("%s", shown).replace("%t", rows.length);
  };

  for (const head of document.querySelectorAll("table.results [data-key]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      down.checked = sort.value === head.dataset.key && !down.checked;
      sort.value = head.dataset.key;
      arrange();
    });
    head.append(button);
  }
  text.addEventListener("input", filter);
  for (const choice of [kind, status]) choice.addEventListener("change", filter);
  for (const choice of [sort, down]) choice.addEventListener("change", arrange);
  controls.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  controls.hidden = false;
  filter();
})();
