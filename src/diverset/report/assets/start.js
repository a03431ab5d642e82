// WHAT COMES FIRST? Facts, then everything that is drawn from them.

async function start() {
  startLook();
  await loadFacts();
  await startMap();
  await startCurves();
  startGallery();
  startSlider();
  startExports();
  await startMethods();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start().catch((why) => {
  console.error(why);
  const said = element("p", "noscript", `The map and the curves could not be drawn (${why.message}). The picks are all here.`);
  document.querySelector("main").prepend(said);
});
