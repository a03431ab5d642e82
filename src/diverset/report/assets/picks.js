// WHICH, AND WHY? The slider over the first picks, the gallery, and the account of one pick.

let first; // how many picks are shown
let current = null; // the chosen pick

function showFirst(count) {
  first = count;
  byId("first-out").textContent = String(count);
  cardOf.forEach((card, place) => (card.parentElement.hidden = place >= count));
  mapPicks(count);
  curvesAt(count);
  const last = facts.picks[count - 1];
  const said = [`coverage ${facts.curves.coverage[count - 1].toFixed(3)}`];
  if (last.gain !== null) said.unshift(`pick ${count} adds ${tiny(last.gain)}`);
  byId("now").textContent = said.join(" · ");
  if (current !== null && current >= count) choosePick(null);
}

/** Each card is a stop for the arrows, the gallery as a whole one for the tabulator. */
function startGallery() {
  cardOf.forEach((card, place) => {
    card.tabIndex = place ? -1 : 0;
    card.addEventListener("click", () => choosePick(current === place ? null : place));
    card.addEventListener("focus", () => cardOf.forEach((other) => (other.tabIndex = other === card ? 0 : -1)));
  });
  byId("why-close").addEventListener("click", () => choosePick(null));
  document.addEventListener("keydown", (event) => event.key === "Escape" && choosePick(null));
  byId("gallery").addEventListener("keydown", (event) => {
    const place = cardOf.indexOf(event.target);
    if (place < 0) return;
    const shown = Math.min(first, cardOf.length);
    const to = { ArrowRight: place + 1, ArrowDown: below(place, 1), ArrowLeft: place - 1, ArrowUp: below(place, -1), Home: 0, End: shown - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 0 && to < shown) {
      cardOf[to].focus();
      choosePick(to);
    }
  });
}

/** The card in the next row, in the same column. */
function below(place, step) {
  const top = cardOf[0].parentElement.offsetTop;
  let across = cardOf.findIndex((card) => !card.parentElement.hidden && card.parentElement.offsetTop > top);
  if (across < 0) across = cardOf.length;
  return place + step * across;
}

function choosePick(place, { scroll = false } = {}) {
  current = place;
  if (place !== null && chosen.length) map.source("pool").selected.indices = [];
  cardOf.forEach((card, at) => card.setAttribute("aria-pressed", String(at === place)));
  mapRing(place);
  byId("why").classList.toggle("open", place !== null);
  byId("why-body").replaceChildren(...(place === null ? [] : account(place)));
  if (scroll && cardOf[place]) cardOf[place].scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });
}

/** Why this one: in sentences, with the earlier pick that it resembles most beside it. */
function account(place) {
  const pick = facts.picks[place], at = facts.places[place];
  const head = element("div", "why-head");
  const words = element("div");
  words.append(element("p", "why-rank", `Pick ${place + 1} of ${facts.picks.length}`), nameLine(at, pick));
  head.append(...[picture(at), words].filter(Boolean));
  const said = element("ul", "why-said");
  for (const sentence of sentences(place, pick)) said.append(element("li", "", sentence));
  const parts = [head, said];
  const text = cardOf[place] && cardOf[place].querySelector(".text");
  if (text) parts.splice(1, 0, isolated(text.textContent, "why-text"));
  if (pick.earlier !== null) parts.push(resembles(pick));
  if (!facts.snippets && facts.columns.length) parts.push(cellList(at));
  return parts;
}

/** All columns that travelled. */
function cellList(at) {
  const list = element("div", "why-cells");
  for (const [name, value] of cellsOf(at, 60)) {
    const line = element("span", "tip-cell");
    line.append(isolated(name), isolated(value));
    list.append(line);
  }
  return list;
}

function nameLine(at, pick) {
  const line = element("p", "why-name");
  line.append(isolated(nameOf(at)));
  if (facts.names) line.append(element("span", "count", `row ${pick.row.toLocaleString("en")}`));
  return line;
}

function sentences(place, pick) {
  const said = [];
  const largest = Math.max(...facts.picks.map((other) => other.gain ?? 0));
  if (pick.gain !== null && pick.gain > 0) said.push(`It added ${tiny(pick.gain)}, ${percent(pick.gain / largest)} of the largest gain.`);
  else if (pick.gain === 0) said.push("It adds nothing: the picks before it already say all that there is to say.");
  else said.push("It was drawn by chance, not by its gain.");
  if (pick.margin !== null && pick.gain !== null)
    said.push(pick.margin === 0 ? "It tied with another item; the lower row number won." : `It led the best item that it beat by ${percentOrTiny(pick.margin)}.`);
  if (pick.gain !== null)
    said.push(pick.decided ? "Certified: rounding could not have changed this pick." : "Not certified: rounding could have changed this pick, or one before it.");
  const share = pick.standsFor / facts.drawn;
  said.push(`Of all picks it is the nearest to ${pick.standsFor.toLocaleString("en")} ${pick.standsFor === 1 ? "item" : "items"}, ${percent(share)} of those on the map.`);
  return said;
}

const percentOrTiny = (share) =>
  share >= 0.1 ? percent(share) : share >= 0.001 ? `${(100 * share).toPrecision(2)} %` : `a relative ${tiny(share)}`;

function resembles(pick) {
  const at = facts.places[pick.earlier];
  const button = element("button", "why-earlier");
  button.type = "button";
  const words = element("span");
  const like = pick.similarity === null ? "" : `, similarity ${pick.similarity.toFixed(2)}`;
  words.append(element("span", "said-small", "Its nearest earlier pick"), element("strong", "", `Pick ${pick.earlier + 1}${like}`), isolated(nameOf(at), "said-small"));
  button.append(...[picture(at), words].filter(Boolean));
  button.addEventListener("click", () => choosePick(pick.earlier, { scroll: true }));
  return button;
}

function startSlider() {
  const slider = byId("first");
  slider.addEventListener("input", () => showFirst(Number(slider.value)));
  showFirst(Number(slider.value));
}
