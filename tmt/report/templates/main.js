// Puts the page together.
const VIEWS = {
  compare: compareView,
  sweep: sweepView,
  trade: tradeView,
  delay: delayView,
  distribution: distributionView,
  timeline: timelineView,
};

if (DATA.cells.length) {
  resetChoices();
  readAddress();
  buildControls();
  if (matchMedia("(max-width: 46rem)").matches) byId("chooser").open = false;
  for (const [name, view] of Object.entries(VIEWS)) {
    const place = byId(`${name}-view`);
    const update = place && view(place);
    if (update) listeners.push(update);
  }
  listeners.push(...tables());
  changed();
} else {
  resetChoices();
  tables();
}
