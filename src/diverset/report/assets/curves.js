// HOW DOES IT GO ON? Gain, coverage and spectrum, each with the place that the slider is at.

const curves = {};

async function startCurves() {
  for (const name of ["gains", "coverage", "spectrum"]) {
    const curve = await drawn(name);
    const values = facts.curves[name];
    const known = values.map((value, i) => [i + 1, value]).filter(([, value]) => value !== null && (name === "coverage" || value > 0));
    curve.known = known;
    curve.source(`${name}-all`).data = points(known);
    frame(curve.plot, known, name !== "coverage");
    curves[name] = curve;
  }
  mark("spectrum", facts.picks.length);
}

/** Ranges with some air around the data. */
function frame({ x_range, y_range }, known, log) {
  if (!known.length) return;
  const values = known.map(([, y]) => (log ? Math.log(y) : y));
  const low = Math.min(...values), high = Math.max(...values), air = 0.08 * (high - low) || (log ? 0.5 : 0.05);
  const [start, end] = [low - air, high + air].map((y) => (log ? Math.exp(y) : y));
  const last = known[known.length - 1][0];
  x_range.setv({ start: 1 - 0.04 * last, end: last + 0.04 * last });
  y_range.setv({ start, end });
}

const points = (pairs) => ({ x: pairs.map(([x]) => x), y: pairs.map(([, y]) => y) });

function mark(name, first) {
  const { plot, source, known } = curves[name];
  source(`${name}-rest`).data = points(known.filter(([x]) => x > first));
  source(`${name}-first`).data = points(known.filter(([x]) => x <= first));
  for (const span of plot.center.filter((part) => part.name === "here")) span.location = first;
}

function curvesAt(first) {
  mark("gains", first);
  mark("coverage", first);
  const { gains, coverage, spectrum } = facts.curves;
  const gain = gains[first - 1];
  byId("gains-now").textContent = gain === null ? "" : `Pick ${first} added ${tiny(gain)}.`;
  byId("coverage-now").textContent = `${coverage[first - 1].toFixed(3)} with ${first} ${first === 1 ? "pick" : "picks"}.`;
  const k = facts.picks.length;
  const seen = spectrum.slice(0, k).reduce((sum, value) => sum + value, 0);
  byId("spectrum-now").textContent = `The first ${Math.min(k, spectrum.length)} hold ${percent(seen)}.`;
}
