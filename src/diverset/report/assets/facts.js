// WHAT IS THERE? Facts as they travelled in the page become arrays, and words for every item.
//
// at     the place of an item among those drawn on the map
// place  the place of a pick in pick order, from 0

const byId = (id) => document.getElementById(id);

function element(tag, classes, text) {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  if (text !== undefined) made.textContent = text; // never as HTML: the words are a stranger's
  return made;
}

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpacked(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const numbersOf = (base64, type) => new type(bytesOf(base64).buffer);

let facts, thumbs;
const cardOf = []; // the button of each pick that has a card
const placeOf = new Map(); // at -> place

async function loadFacts() {
  facts = await unpacked(byId("facts").textContent);
  thumbs = JSON.parse(byId("thumbs").textContent);
  const steps = (base64) => Float64Array.from(numbersOf(base64, Uint16Array), (step) => step / 65535);
  facts.x = steps(facts.x);
  facts.y = steps(facts.y);
  facts.nearest = numbersOf(facts.nearest, Uint32Array);
  facts.similarity = numbersOf(facts.similarity, Int8Array);
  facts.rows = facts.rows && numbersOf(facts.rows, Uint32Array);
  for (const column of facts.columns)
    column.values = numbersOf(column.values, column.kind === "numbers" ? Float32Array : Uint8Array);
  facts.places.forEach((at, place) => placeOf.set(at, place));
  document.querySelectorAll(".card").forEach((card) => cardOf.push(card));
}

const rowOf = (at) => (facts.rows ? facts.rows[at] : at);
const nameOf = (at) => (facts.names ? facts.names[at] : `row ${rowOf(at).toLocaleString("en")}`);

function pictureOf(at) {
  if (thumbs[at]) return `data:image/webp;base64,${thumbs[at]}`;
  const card = cardOf[placeOf.get(at)];
  const picture = card && card.querySelector("img");
  return picture ? picture.src : null;
}

function picture(at) {
  const source = pictureOf(at);
  if (!source) return null;
  const made = element("img");
  made.alt = "";
  made.src = source;
  return made;
}

/** What an item has in the columns that travelled, as pairs of texts. */
function cellsOf(at, most = 6) {
  return facts.columns.slice(0, most).map((column) => {
    const value = column.values[at];
    if (column.kind === "words") return [column.name, value === 255 ? "–" : column.words[value]];
    return [column.name, Number.isFinite(value) ? short(value) : "–"];
  });
}

const short = (value) =>
  Number.isInteger(value) ? value.toLocaleString("en") : String(parseFloat(value.toPrecision(4)));

const tiny = (value) =>
  value === null ? "–" : Math.abs(value) >= 1e-3 || value === 0 ? String(parseFloat(value.toPrecision(3))) : value.toExponential(1);

const percent = (share) => (share >= 0.005 ? `${Math.round(100 * share)} %` : "under 1 %");

/** A name in a box of its own, so that no mark of direction in it reaches what stands beside it. */
function isolated(text, classes) {
  return element("bdi", classes, text);
}
