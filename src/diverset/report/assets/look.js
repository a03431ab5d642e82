// HOW DOES IT LOOK? The colours of the page, light or dark, and the same for the plots.
//
// Colours of classes: Okabe and Ito's, which stay apart for all kinds of colour vision; from the eighth
// class on the same colours again as triangles. Numbers: viridis.

const CLASSES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b3a72f"];
const SHAPES = ["circle", "triangle"];
const VIRIDIS = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"];

const colourNow = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Colour and shape of every item on the map, and what the legend says of them. */
function coloured(by) {
  const plain = colourNow("pool");
  if (by === "") return { colours: new Array(facts.drawn).fill(plain), shapes: null, legend: null };
  const column = by === "nearest" ? nearestPicks() : facts.columns[Number(by)];
  return column.kind === "numbers" ? byNumbers(column, plain) : byWords(column, plain);
}

const nearestPicks = () => ({
  name: "nearest pick",
  kind: "words",
  values: facts.nearest,
  words: facts.places.map((at, place) => `${place + 1}`),
  counts: facts.picks.map((pick) => pick.standsFor),
});

function byNumbers(column, plain) {
  let low = Infinity, high = -Infinity;
  for (const value of column.values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const steps = 64;
  const palette = Array.from({ length: steps }, (_, i) => between(VIRIDIS, i / (steps - 1)));
  const scale = high > low ? (steps - 1) / (high - low) : 0;
  const colours = Array.from(column.values, (v) => (Number.isFinite(v) ? palette[Math.round((v - low) * scale)] : plain));
  return { colours, shapes: null, legend: { low: short(low), high: short(high) } };
}

function between(palette, share) {
  const at = share * (palette.length - 1);
  const from = Math.floor(at), to = Math.min(from + 1, palette.length - 1);
  const part = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(part(palette[from], i) + (at - from) * (part(palette[to], i) - part(palette[from], i))));
  return `#${mixed.map((level) => level.toString(16).padStart(2, "0")).join("")}`;
}

function byWords(column, plain) {
  const most = CLASSES.length * SHAPES.length;
  const colour = (code) => (code < most && code < column.words.length ? CLASSES[code % CLASSES.length] : plain);
  const shape = (code) => (code < most ? SHAPES[Math.floor(code / CLASSES.length)] : "circle");
  const shown = column.words.slice(0, most);
  const others = column.counts.slice(most).reduce((sum, count) => sum + count, 0);
  return {
    colours: Array.from(column.values, colour),
    shapes: shown.length > CLASSES.length ? Array.from(column.values, shape) : null,
    legend: { words: shown.map((word, code) => ({ word, count: column.counts[code], colour: colour(code), shape: shape(code) })), others },
  };
}

// --- light and dark ---------------------------------------------------------------------------

const onLook = []; // what has to be drawn again when the colours change

function startLook() {
  const buttons = [...document.querySelectorAll("[data-theme-to]")];
  const choose = (chosen) => {
    const to = chosen.dataset.themeTo;
    if (to === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = to;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button === chosen)));
    onLook.forEach((draw) => draw());
  };
  buttons.forEach((button) => button.addEventListener("click", () => choose(button)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => onLook.forEach((draw) => draw()));
}

/** The colours of one plot, by the names that its parts have. Among coloured dots, picks are black or white. */
function dress(plot, coloured = false) {
  const [ink, soft, line, pool, surface] = ["ink", "soft", "line", "pool", "surface"].map(colourNow);
  const [accent, onAccent] = coloured ? [ink, surface] : ["accent", "on-accent"].map(colourNow);
  for (const axis of [...plot.below, ...plot.left]) {
    axis.major_label_text_color = soft;
    axis.axis_label_text_color = soft;
  }
  for (const grid of plot.center.filter((part) => part.type.endsWith("Grid"))) grid.grid_line_color = line;
  for (const span of plot.center.filter((part) => part.name === "here")) span.line_color = accent;
  const paint = {
    pool: (glyph) => (glyph.fill_color.field ? null : (glyph.fill_color = pool)),
    line: (glyph) => (glyph.line_color = pool),
    picks: (glyph) => Object.assign(glyph, { fill_color: accent, line_color: surface }),
    labels: (glyph) => (glyph.text_color = onAccent),
    ring: (glyph) => (glyph.line_color = ink),
    link: (glyph) => (glyph.line_color = ink),
  };
  for (const renderer of plot.renderers) paint[renderer.name](renderer.glyph);
}

/** Draws a plot into its element; gives the figure and its sources by name. */
async function drawn(name) {
  const items = (drawn.items ??= JSON.parse(byId("plots").textContent));
  const views = await Bokeh.embed.embed_item(items[name], byId(name));
  const [view] = views.roots;
  view.canvas_view.events_el.removeAttribute("tabindex"); // the page has its own stops for the tabulator
  const plot = view.model;
  const source = (called) => plot.document.get_model_by_name(`${called}-data`);
  const again = () => dress(plot);
  again();
  onLook.push(again);
  return { plot, source };
}
