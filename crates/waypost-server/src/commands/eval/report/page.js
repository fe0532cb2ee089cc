// Sorts a table by the column whose head is pressed; without it the tables are as they were written.
document.querySelectorAll("table.sortable").forEach((table) => {
  const body = table.tBodies[0];
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "sort by this column";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      table.querySelectorAll("th[aria-sort]").forEach((th) => th.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        const order = Number.isNaN(Number(x)) ? x.localeCompare(y) : Number(x) - Number(y);
        return up ? order : -order;
      });
      body.append(...rows);
    });
  });
});
