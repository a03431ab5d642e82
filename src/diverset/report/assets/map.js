// WHERE ARE THEY? The map: hover, lasso, zoom, colours, and the picks on it.

let map; // { plot, source }

async function startMap() {
  map = await drawn("map");
  showEverything();
  recolour();
  onLook.push(recolour);
  byId("colour").addEventListener("change", recolour);
  startTools();
  startHover();
  startChoosing();
}

const dotSize = () => (facts.drawn > 20000 ? 3 : facts.drawn > 4000 ? 4 : facts.drawn > 800 ? 6 : 8);

function recolour() {
  const { colours, shapes, legend } = coloured(byId("colour").value);
  const size = dotSize();
  const [pool] = map.plot.renderers;
  pool.glyph.fill_alpha = facts.drawn > 20000 ? 0.4 : 0.7; // where dots lie on dots, fewer is more
  map.source("pool").data = {
    x: facts.x,
    y: facts.y,
    color: colours,
    marker: shapes ?? new Array(facts.drawn).fill("circle"),
    size: new Array(facts.drawn).fill(shapes ? size + 1 : size),
  };
  dress(map.plot, legend !== null);
  showLegend(legend);
}

function showLegend(legend) {
  const box = byId("legend");
  box.replaceChildren();
  box.hidden = !legend;
  if (!legend) return;
  if (legend.words) {
    for (const { word, count, colour, shape } of legend.words) {
      const entry = element("span", "entry");
      const swatch = element("i", `swatch ${shape}`);
      swatch.style.background = colour;
      entry.append(swatch, isolated(word), element("span", "count", count.toLocaleString("en")));
      box.append(entry);
    }
    if (legend.others) box.append(element("span", "entry", `others ${legend.others.toLocaleString("en")}`));
  } else {
    const strip = element("i", "gradient");
    strip.style.background = `linear-gradient(to right, ${VIRIDIS.join(", ")})`;
    box.append(element("span", "", legend.low), strip, element("span", "", legend.high));
  }
}

// --- picks ------------------------------------------------------------------------------------

/** The first picks, numbered as long as the numbers can be read. */
function mapPicks(first) {
  const numbered = facts.places.length <= 150;
  const size = facts.places.length <= 40 ? 20 : numbered ? 15 : 8;
  const shown = facts.places.slice(0, first);
  map.source("picks").data = {
    x: shown.map((at) => facts.x[at]),
    y: shown.map((at) => facts.y[at]),
    size: shown.map(() => size),
    label: shown.map((_, place) => (numbered ? String(place + 1) : "")),
  };
}

/** A ring around the chosen pick, and a line to the earlier pick that is most like it. */
function mapRing(place) {
  const at = place === null ? [] : [facts.places[place]];
  const earlier = place === null ? null : facts.picks[place].earlier;
  const from = earlier === null ? [] : [facts.places[earlier]];
  const [x, y] = [facts.x, facts.y];
  map.source("ring").data = { x: at.map((i) => x[i]), y: at.map((i) => y[i]), size: at.map(() => 28) };
  map.source("link").data = {
    x0: from.map(() => x[at[0]]), y0: from.map(() => y[at[0]]), x1: from.map((i) => x[i]), y1: from.map((i) => y[i]),
  };
}

// --- looking around ---------------------------------------------------------------------------

const MARGIN = 0.06;

function showEverything() {
  for (const range of [map.plot.x_range, map.plot.y_range]) range.setv({ start: -MARGIN, end: 1 + MARGIN });
}

function zoom(factor) {
  for (const range of [map.plot.x_range, map.plot.y_range]) {
    const middle = (range.start + range.end) / 2, half = ((range.end - range.start) / 2) * factor;
    range.setv({ start: middle - half, end: middle + half });
  }
}

function move(dx, dy) {
  for (const [range, by] of [[map.plot.x_range, dx], [map.plot.y_range, dy]]) {
    const step = 0.15 * by * (range.end - range.start);
    range.setv({ start: range.start + step, end: range.end + step });
  }
}

function startTools() {
  const named = (name) => map.plot.toolbar.tools.find((tool) => tool.name === name);
  for (const name of ["tap", "wheel", "hover"]) named(name).active = true;
  const buttons = [...document.querySelectorAll("[data-tool]")];
  const take = (taken) => {
    for (const button of buttons) {
      const on = button === taken;
      named(button.dataset.tool).active = on;
      button.setAttribute("aria-pressed", String(on));
    }
    byId("stage").dataset.takes = taken.dataset.tool;
  };
  buttons.forEach((button) => button.addEventListener("click", () => take(button)));
  take(buttons[0]);
  for (const button of document.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => (button.dataset.zoom === "reset" ? showEverything() : zoom(Number(button.dataset.zoom))));
  const keys = {
    ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, 1), ArrowDown: () => move(0, -1),
    "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: showEverything,
  };
  byId("map").addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    keys[event.key]();
    event.preventDefault();
  });
}

// --- hover ------------------------------------------------------------------------------------

function startHover() {
  const tip = byId("tip");
  const hovered = { picks: null, pool: null };
  const show = (geometry) => {
    const at = hovered.picks ?? hovered.pool;
    tip.hidden = at === null;
    if (at === null) return;
    if (tip.dataset.at !== String(at)) tip.replaceChildren(...tipOf(at));
    tip.dataset.at = String(at);
    const stage = byId("stage");
    const right = geometry.sx > stage.clientWidth / 2, below = geometry.sy > stage.clientHeight / 2;
    tip.style.left = right ? "auto" : `${geometry.sx + 14}px`;
    tip.style.right = right ? `${stage.clientWidth - geometry.sx + 14}px` : "auto";
    tip.style.top = below ? "auto" : `${geometry.sy + 14}px`;
    tip.style.bottom = below ? `${stage.clientHeight - geometry.sy + 14}px` : "auto";
  };
  for (const name of ["pool", "picks"]) {
    const source = map.source(name);
    source.inspect.connect(([, { geometry }]) => {
      const found = source.inspected.indices;
      hovered[name] = found.length ? closest(found.map((i) => (name === "picks" ? facts.places[i] : i)), geometry) : null;
      show(geometry);
    });
  }
  byId("stage").addEventListener("pointerleave", () => (tip.hidden = true));
}

/** Of several items under the pointer, the one whose middle is nearest to it. */
function closest(found, { x, y }) {
  const width = map.plot.x_range.end - map.plot.x_range.start, height = map.plot.y_range.end - map.plot.y_range.start;
  const far = (at) => Math.hypot((facts.x[at] - x) / width, (facts.y[at] - y) / height);
  return found.reduce((best, at) => (far(at) < far(best) ? at : best));
}

function tipOf(at) {
  const place = placeOf.get(at);
  const parts = [picture(at), isolated(nameOf(at), "tip-name")];
  if (facts.snippets) parts.push(isolated(facts.snippets[at], "tip-text"));
  else
    for (const [name, value] of cellsOf(at)) {
      const line = element("span", "tip-cell");
      line.append(isolated(name), isolated(value));
      parts.push(line);
    }
  const like = facts.nearest[at] + 1;
  const said = place !== undefined ? `pick ${place + 1}` : `most like pick ${like}, similarity ${(facts.similarity[at] / 100).toFixed(2)}`;
  parts.push(element("span", "tip-like", said));
  return parts.filter(Boolean);
}

// --- choosing items ---------------------------------------------------------------------------

let chosen = [];

function startChoosing() {
  const pool = map.source("pool"), picks = map.source("picks");
  pool.selected.properties.indices.change.connect(() => {
    chosen = [...pool.selected.indices];
    showChosen();
  });
  picks.selected.properties.indices.change.connect(() => {
    const [place] = picks.selected.indices;
    if (place !== undefined) choosePick(place, { scroll: true });
    if (picks.selected.indices.length) picks.selected.indices = [];
  });
  byId("chosen-clear").addEventListener("click", () => (pool.selected.indices = []));
}

const LISTED = 60;

function showChosen() {
  byId("chosen").hidden = chosen.length === 0;
  byId("chosen-count").textContent = `${chosen.length.toLocaleString("en")} ${chosen.length === 1 ? "item" : "items"}`;
  const entries = chosen.slice(0, LISTED).map((at) => {
    const entry = element("li");
    const words = facts.snippets ? facts.snippets[at] : nameOf(at);
    entry.append(...[picture(at), isolated(words)].filter(Boolean));
    if (placeOf.has(at)) entry.append(element("span", "rank", String(placeOf.get(at) + 1)));
    return entry;
  });
  byId("chosen-list").replaceChildren(...entries);
  byId("chosen-more").hidden = chosen.length <= LISTED;
  byId("chosen-more").textContent = `and ${(chosen.length - LISTED).toLocaleString("en")} more, all of them in the exports`;
}
