// What every chart has: the colour scheme, and texts on marks for the pointer and for the keyboard.
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (dark.matches ? "dark" : "light");

function tell(text, x = 0, y = 0) {
  const tip = byId("tip");
  tip.hidden = !text;
  if (!text) return;
  const lines = String(text).split("\n");
  tip.replaceChildren(...lines.map((line, i) => el(i ? "div" : "strong", {}, line)));
  const room = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(6, Math.min(x + 12, room - tip.offsetWidth - 6))}px`;
  tip.style.top = `${Math.max(6, y - tip.offsetHeight - 10)}px`;
}

// Arrow keys go through the marks that tell about themselves; Vega labels those for assistive technology.
function withKeys(plot) {
  let current = -1;
  const show = (marks, i) => {
    marks[current]?.classList.remove("active");
    current = i;
    marks[i]?.classList.add("active");
    const box = marks[i]?.getBoundingClientRect();
    if (box) tell(marks[i].getAttribute("aria-label"), box.right, box.top);
    else tell(null);
  };
  plot.addEventListener("keydown", (event) => {
    const marks = [...plot.querySelectorAll(".role-mark [aria-label]")];
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") show(marks, -1);
    if (!step || !marks.length) return;
    event.preventDefault();
    show(marks, (current + step + marks.length + (current < 0 && step < 0 ? 1 : 0)) % marks.length);
  });
  plot.addEventListener("blur", () => show([...plot.querySelectorAll(".active")], -1));
}
