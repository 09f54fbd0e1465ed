// What is being drawn: its corners, what is chosen of them, and what can be undone.
"use strict";

const DRAGGING = "Drag corners where they belong; the small dots between them make new ones.";

class Drawing {
  constructor(text, told, tools) {
    this.text = text;
    this.told = told;
    this.tools = tools;
    this.polygons = [];
    // Corners of what is being drawn, and whether that is a hole; null while nothing is.
    this.open = null;
    // Of the corner that was chosen: polygon, ring, number.
    this.chosen = null;
    this.before = [];
    this.read();
  }

  // Take over what stands in the text.
  read() {
    try {
      const found = this.text.value.trim() ? JSON.parse(this.text.value) : null;
      const geometry = found && found.type === "Feature" ? found.geometry : found;
      this.polygons = polygonsOf(geometry);
      this.say("");
    } catch {
      this.say("The text can't be drawn as it is.");
    }
    this.chosen = null;
  }

  write() {
    const geometry = geometryOf(this.polygons);
    this.text.value = geometry ? JSON.stringify(geometry).replaceAll("],[", "],\n[") : "";
  }

  say(text) { this.told.textContent = text; }

  // Everything that can be undone goes through here.
  change(act) {
    this.before.push(JSON.stringify(this.polygons));
    act();
    this.write();
    this.show();
  }

  undo() {
    if (this.open && this.open.ring.length) this.open.ring.pop();
    else if (this.open) this.open = null;
    else if (this.before.length) {
      this.polygons = JSON.parse(this.before.pop());
      this.chosen = null;
      this.write();
    }
    this.show();
  }

  begin(hole) {
    this.open = { ring: [], hole };
    this.chosen = null;
    this.say("Choose the corners one after the other; the first one, or Finish, ends it.");
    this.show();
  }

  finish() {
    const { ring, hole } = this.open;
    this.open = null;
    if (ring.length < 3) { this.say("An outline has three corners at least."); this.show(); return; }
    const around = hole ? this.polygons.find((rings) => holds(rings[0], ring[0])) : null;
    if (hole && !around) { this.say("A hole lies inside of an outline."); this.show(); return; }
    this.say(DRAGGING);
    this.change(() => { if (hole) around.push(ring); else this.polygons.push([ring]); });
  }

  corner([polygon, ring]) { return this.polygons[polygon][ring]; }

  insert([polygon, ring, number], position) {
    this.change(() => this.corner([polygon, ring]).splice(number + 1, 0, position));
    this.chosen = [polygon, ring, number + 1];
  }

  remove() {
    if (!this.chosen) return;
    const [polygon, ring, number] = this.chosen;
    this.chosen = null;
    this.change(() => {
      const corners = this.corner([polygon, ring]);
      if (corners.length > 3) corners.splice(number, 1);
      else if (ring > 0) this.polygons[polygon].splice(ring, 1);
      else this.polygons.splice(polygon, 1);
    });
  }

  corners(make) {
    return this.polygons.flatMap((rings, p) => rings.flatMap((ring, r) => ring.map((at, n) => make(at, [p, r, n], ring[(n + 1) % ring.length]))));
  }

  get sources() {
    const point = (coordinates, properties) => feature({ type: "Point", coordinates }, properties);
    const where = ([p, r, n]) => ({ p, r, n, chosen: String(this.chosen) === String([p, r, n]) });
    const geometry = geometryOf(this.polygons);
    const open = this.open ? this.open.ring : [];
    return {
      // Lines of their own: of what crosses itself, nothing might be filled.
      shape: collection(geometry ? [geometry, ...this.polygons.flat().map(lineAround)].map((each) => feature(each)) : []),
      corners: collection(this.open ? [] : this.corners((at, place) => point(at, where(place)))),
      middles: collection(this.open ? [] : this.corners((at, place, next) => point([(at[0] + next[0]) / 2, (at[1] + next[1]) / 2], where(place)))),
      open: collection([
        ...(open.length > 1 ? [feature({ type: "LineString", coordinates: open })] : []),
        ...open.map((at, n) => point(at, { n })),
      ]),
    };
  }

  show() {
    if (this.map) {
      for (const [name, data] of Object.entries(this.sources)) this.map.getSource(name).setData(data);
      this.map.getCanvas().style.cursor = this.open ? "crosshair" : "";
    }
    const { outline, hole, finish, remove, undo } = this.tools;
    outline.setAttribute("aria-pressed", String(Boolean(this.open && !this.open.hole)));
    hole.setAttribute("aria-pressed", String(Boolean(this.open && this.open.hole)));
    hole.disabled = this.polygons.length === 0;
    finish.disabled = !this.open;
    remove.disabled = !this.chosen;
    undo.disabled = !this.open && this.before.length === 0;
  }
}
