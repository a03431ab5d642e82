// WHAT WOULD OTHERS PICK? One tab per method: its picks on a small map, and side by side.

const SMALL = 3000; // items on the small map

async function startMethods() {
  if (!facts.methods.length) return;
  const small = await drawn("method-map");
  small.plot.renderers[0].glyph.size = Math.max(3, dotSize() - 3);
  const every = Math.ceil(facts.drawn / SMALL);
  const some = facts.x.map((_, i) => i).filter((i) => i % every === 0);
  small.source("some").data = { x: Array.from(some, (i) => facts.x[i]), y: Array.from(some, (i) => facts.y[i]) };
  for (const range of [small.plot.x_range, small.plot.y_range]) range.setv({ start: -MARGIN, end: 1 + MARGIN });
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const open = (place) => {
    tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === place));
      tab.tabIndex = at === place ? 0 : -1;
    });
    byId("method-panel").setAttribute("aria-labelledby", tabs[place].id);
    showMethod(small, facts.methods[place]);
  };
  tabs.forEach((tab, place) => {
    tab.addEventListener("click", () => open(place));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = (to + tabs.length) % tabs.length;
      tabs[next].focus();
      open(next);
    });
  });
  open(0);
}

function showMethod(small, method) {
  const { places, names } = method;
  small.source("theirs").data = { x: places.map((at) => facts.x[at]), y: places.map((at) => facts.y[at]) };
  const common = places.filter((at) => placeOf.has(at)).length;
  byId("method-said").textContent = `${common} of its ${places.length} picks are also among the picks of this page; they have their number there.`;
  const entries = places.slice(0, 120).map((at, i) => {
    const entry = element("li", placeOf.has(at) ? "shared" : "");
    const shown = picture(at);
    const words = facts.snippets ? facts.snippets[at] : names[i];
    if (shown) {
      shown.alt = names[i];
      shown.title = names[i];
      entry.append(shown);
    } else entry.append(isolated(words));
    if (placeOf.has(at)) entry.append(element("span", "rank", String(placeOf.get(at) + 1)));
    return entry;
  });
  byId("method-strip").replaceChildren(...entries);
}
