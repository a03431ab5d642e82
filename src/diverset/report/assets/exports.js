// WHAT CAN BE TAKEN AWAY? Picks, or the items chosen on the map, as CSV or JSON.

// A spreadsheet takes a text that starts with one of these for a formula: an apostrophe before it makes it a
// text again, unless it is a number. The rule is that of `neutral` in commands/sheets.py.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const neutral = (text) => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value); // a number of ours, also a negative one
  const text = neutral(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(records) {
  const names = Object.keys(records[0]);
  const lines = [names, ...records.map((record) => names.map((name) => record[name]))];
  return lines.map((cells) => cells.map(csvCell).join(",") + "\n").join("");
}

// `pick` is the number on the page, from 1; other picks are meant by their rows.
const pickRecords = () =>
  facts.picks.slice(0, first).map((pick, place) => ({
    pick: place + 1,
    row: pick.row,
    name: facts.pickNames[place],
    gain: pick.gain,
    margin: pick.margin,
    decided: pick.decided,
    nearest_earlier_row: pick.earlier === null ? null : facts.picks[pick.earlier].row,
    similarity: pick.similarity,
  }));

const chosenRecords = () =>
  chosen.map((at) => {
    const place = placeOf.get(at);
    return {
      row: rowOf(at),
      name: place === undefined ? (facts.names ? facts.names[at] : String(rowOf(at))) : facts.pickNames[place],
      pick: place === undefined ? null : place + 1,
      nearest_pick_row: facts.picks[facts.nearest[at]].row,
      similarity: facts.similarity[at] / 100,
    };
  });

function save(name, type, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function startExports() {
  const json = (key, records) => JSON.stringify({ schema: 1, ...facts.export, [key]: records }, null, 2) + "\n";
  const on = (id, action) => byId(id).addEventListener("click", action);
  on("export-csv", () => save("picks.csv", "text/csv", csv(pickRecords())));
  on("export-json", () => save("picks.json", "application/json", json("picks", pickRecords())));
  on("chosen-csv", () => save("items.csv", "text/csv", csv(chosenRecords())));
  on("chosen-json", () => save("items.json", "application/json", json("items", chosenRecords())));
  const copy = byId("copy");
  copy?.addEventListener("click", async () => {
    getSelection().selectAllChildren(byId("command")); // a page from disk may be refused the clipboard
    try {
      await navigator.clipboard.writeText(byId("command").textContent);
    } catch {
      document.execCommand("copy");
    }
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  });
}
