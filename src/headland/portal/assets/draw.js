// The outline of a boundary, drawn on a map. What is drawn stands in the form's text, and follows it.
"use strict";

function collection(features) {
  return { type: "FeatureCollection", features };
}

function feature(geometry, properties = {}) {
  return { type: "Feature", geometry, properties };
}

function lineAround(ring) {
  return { type: "LineString", coordinates: [...ring, ring[0]] };
}

// Polygons of GeoJSON as lists of rings that are not closed, and back.
function polygonsOf(geometry) {
  if (!geometry) return [];
  const polygons = geometry.type === "MultiPolygon" ? geometry.coordinates : [geometry.coordinates];
  return polygons.map((rings) => rings.map((ring) => ring.slice(0, -1).map(([x, y]) => [x, y])));
}

function geometryOf(polygons) {
  const coordinates = polygons.map((rings) => rings.map((ring) => [...ring, ring[0]]));
  if (coordinates.length === 0) return null;
  return coordinates.length === 1 ? { type: "Polygon", coordinates: coordinates[0] } : { type: "MultiPolygon", coordinates };
}

// Seven decimals are a centimetre.
function rounded({ lng, lat }) {
  return [Math.round(lng * 1e7) / 1e7, Math.round(lat * 1e7) / 1e7];
}

// Whether a ring has a point inside: how often a line from it to the east meets an edge.
function holds(ring, [x, y]) {
  let inside = false;
  ring.forEach(([x1, y1], n) => {
    const [x2, y2] = ring[(n + 1) % ring.length];
    if ((y1 > y) !== (y2 > y) && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  });
  return inside;
}

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
    this.say("Click the corners one after the other; the first one, or Finish, ends it.");
    this.show();
  }

  finish() {
    const { ring, hole } = this.open;
    this.open = null;
    if (ring.length < 3) { this.say("An outline has three corners at least."); this.show(); return; }
    const around = hole ? this.polygons.find((rings) => holds(rings[0], ring[0])) : null;
    if (hole && !around) { this.say("A hole lies inside of an outline."); this.show(); return; }
    this.say("Drag corners where they belong; the small dots between them make new ones.");
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

function layersOfDrawing() {
  const [accent, bad, surface] = ["--accent", "--bad", "--surface"].map(coloured);
  const dot = (id, source, radius, more) => ({
    id, source, type: "circle", filter: ["==", ["geometry-type"], "Point"],
    paint: { "circle-radius": radius, "circle-color": surface, "circle-stroke-width": 2, "circle-stroke-color": accent, ...more },
  });
  return [
    { id: "shape", type: "fill", source: "shape", filter: ["!=", ["geometry-type"], "LineString"], paint: { "fill-color": accent, "fill-opacity": 0.3 } },
    { id: "edge", type: "line", source: "shape", filter: ["==", ["geometry-type"], "LineString"], paint: { "line-color": accent, "line-width": 2 } },
    { id: "open-line", type: "line", source: "open", paint: { "line-color": accent, "line-width": 2, "line-dasharray": [2, 1] } },
    dot("middles", "middles", 4, { "circle-stroke-width": 1 }),
    dot("corners", "corners", 7, { "circle-color": ["case", ["get", "chosen"], accent, surface] }),
    dot("open", "open", 6, {}),
    dot("wrong", "wrong", 10, { "circle-color": "rgba(0,0,0,0)", "circle-stroke-width": 4, "circle-stroke-color": bad }),
  ];
}

// A corner follows the pointer until it is let go.
function dragCorner(drawing, place) {
  const { map } = drawing;
  const [polygon, ring, number] = place;
  const before = JSON.stringify(drawing.polygons);
  let moved = false;
  const move = (event) => {
    moved = true;
    drawing.polygons[polygon][ring][number] = rounded(event.lngLat);
    drawing.show();
  };
  const end = () => {
    map.off("mousemove", move);
    map.off("touchmove", move);
    if (moved) { drawing.before.push(before); drawing.write(); }
    drawing.show();
  };
  map.on("mousemove", move);
  map.on("touchmove", move);
  map.once("mouseup", end);
  map.once("touchend", end);
}

function takePointer(drawing) {
  const { map } = drawing;
  const placeOf = (event) => { const { p, r, n } = event.features[0].properties; return [p, r, n]; };
  const takeCorner = (event) => {
    event.preventDefault();
    drawing.chosen = placeOf(event);
    dragCorner(drawing, drawing.chosen);
    drawing.show();
  };
  const takeMiddle = (event) => {
    if (map.queryRenderedFeatures(event.point, { layers: ["corners"] }).length) return;
    event.preventDefault();
    drawing.insert(placeOf(event), rounded(event.lngLat));
    dragCorner(drawing, drawing.chosen);
    drawing.show();
  };
  for (const kind of ["mousedown", "touchstart"]) {
    map.on(kind, "corners", takeCorner);
    map.on(kind, "middles", takeMiddle);
  }
  map.on("click", (event) => {
    if (!drawing.open) return;
    const [first] = map.queryRenderedFeatures(event.point, { layers: ["open"] });
    if (first && first.properties.n === 0 && drawing.open.ring.length > 2) { drawing.finish(); return; }
    drawing.open.ring.push(rounded(event.lngLat));
    drawing.show();
  });
}

function takeKeys(drawing) {
  drawing.map.getCanvas().addEventListener("keydown", (event) => {
    if (event.key === "Delete" || event.key === "Backspace") drawing.remove();
    else if (event.key === "Escape" && drawing.open) { drawing.open = null; drawing.show(); }
    else if (event.key === "Enter" && drawing.open) drawing.finish();
    else return;
    event.preventDefault();
  });
}

function takeTools(drawing) {
  const { outline, hole, finish, remove, undo } = drawing.tools;
  outline.addEventListener("click", () => drawing.begin(false));
  hole.addEventListener("click", () => drawing.begin(true));
  finish.addEventListener("click", () => drawing.finish());
  remove.addEventListener("click", () => drawing.remove());
  undo.addEventListener("click", () => drawing.undo());
  drawing.text.addEventListener("change", () => { drawing.read(); drawing.show(); });
}

async function startDrawing(panel) {
  const place = document.getElementById("map");
  const text = document.getElementById("geometry");
  const tools = Object.fromEntries([...panel.querySelectorAll("[data-tool]")].map((button) => [button.dataset.tool, button]));
  const drawing = new Drawing(text, document.getElementById("map-told"), tools);
  const [tiles, near] = await Promise.all([tilesFrom(place.dataset.tiles), tilesFrom(place.dataset.near)]);
  const wrong = place.dataset.wrong ? [place.dataset.wrong.split(",").map(Number)] : [];
  const own = geometryOf(drawing.polygons);
  panel.hidden = false;
  const geojson = (data) => ({ type: "geojson", data });
  const sources = { tiles: tiles.source, wrong: geojson(collection(wrong.map((coordinates) => feature({ type: "Point", coordinates })))) };
  for (const [name, data] of Object.entries(drawing.sources)) sources[name] = geojson(data);
  const map = makeMap(place, {
    sources,
    layers: [...tileLayers(coloured("--muted")), ...layersOfDrawing()],
    bounds: own ? boxOf([own]) : near.bounds || tiles.bounds,
  });
  drawing.map = map;
  map.doubleClickZoom.disable();
  map.on("load", () => {
    for (const layer of ["inside", "line"]) map.setFilter(layer, ["!=", ["get", "id"], place.dataset.own]);
    takePointer(drawing);
    takeKeys(drawing);
    takeTools(drawing);
    drawing.show();
    place.dataset.ready = "yes";
  });
  if (own) drawing.say("Drag corners where they belong; the small dots between them make new ones.");
}

const panel = document.getElementById("drawing");
if (panel && window.maplibregl) startDrawing(panel).catch(() => { panel.hidden = true; });
