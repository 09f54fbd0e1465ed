// The outline of a boundary, drawn on a map. What is drawn stands in the form's text, and follows it.
"use strict";

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

// Pixels around a pointer within which it means a corner, or the middle between two: a finger hides what it is on.
const REACH = { mouse: { corners: 4, middles: 3, open: 4 }, finger: { corners: 24, middles: 14, open: 24 } };

// The dot of a layer that is nearest to the pointer, if one is in reach.
function dotAt(map, layer, { point, originalEvent }) {
  const finger = originalEvent.pointerType === "touch" || "touches" in originalEvent;
  const reach = REACH[finger ? "finger" : "mouse"][layer];
  const box = [[point.x - reach, point.y - reach], [point.x + reach, point.y + reach]];
  const far = (dot) => map.project(dot.geometry.coordinates).dist(point);
  const [first] = map.queryRenderedFeatures(box, { layers: [layer] }).sort((one, other) => far(one) - far(other));
  return first && first.properties;
}

// A corner follows the pointer until it is let go, or a second finger comes. That of one that is new is no change of
// its own.
function dragCorner(drawing, place, { fresh }) {
  const { map } = drawing;
  const [polygon, ring, number] = place;
  const before = JSON.stringify(drawing.polygons);
  const listeners = {
    mousemove: move, touchmove: move, mouseup: end, touchend: end, touchcancel: end, touchstart: end,
  };
  let moved = false;
  function move(event) {
    moved = true;
    drawing.polygons[polygon][ring][number] = rounded(event.lngLat);
    drawing.show();
  }
  function end() {
    for (const [kind, listener] of Object.entries(listeners)) map.off(kind, listener);
    if (moved && !fresh) drawing.before.push(before);
    if (moved) drawing.write();
    drawing.show();
  }
  for (const [kind, listener] of Object.entries(listeners)) map.on(kind, listener);
}

function takePointer(drawing) {
  const { map } = drawing;
  const take = (event) => {
    // Two fingers move the map.
    if (drawing.open || (event.points && event.points.length > 1)) return;
    const corner = dotAt(map, "corners", event);
    const middle = corner ? undefined : dotAt(map, "middles", event);
    if (!corner && !middle) return;
    event.preventDefault();
    const { p, r, n } = corner || middle;
    if (corner) drawing.chosen = [p, r, n];
    else drawing.insert([p, r, n], rounded(event.lngLat));
    dragCorner(drawing, drawing.chosen, { fresh: !corner });
    drawing.show();
  };
  for (const kind of ["mousedown", "touchstart"]) map.on(kind, take);
  map.on("click", (event) => {
    if (!drawing.open) return;
    const open = dotAt(map, "open", event);
    if (open && open.n === 0 && drawing.open.ring.length > 2) { drawing.finish(); return; }
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

// There is no base map to find one's way on, but places have numbers everywhere.
function takePlace(drawing, form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [latitude, longitude, ...more] = form.querySelector("input").value.split(/[,;\s]+/).filter(Boolean).map(Number);
    if (more.length || !(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
      drawing.say("A place is a latitude from -90 to 90, then a longitude from -180 to 180.");
      return;
    }
    drawing.say("");
    drawing.map.jumpTo({ center: [longitude, latitude], zoom: 15 });
  });
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
    layers: () => [...tileLayers(coloured("--muted")), ...layersOfDrawing()],
    bounds: own ? boxOf([own]) : near.bounds || tiles.bounds,
  });
  drawing.map = map;
  map.doubleClickZoom.disable();
  map.on("load", () => {
    for (const layer of ["inside", "line"]) map.setFilter(layer, ["!=", ["get", "id"], place.dataset.own]);
    takePointer(drawing);
    takeKeys(drawing);
    takeTools(drawing);
    takePlace(drawing, document.getElementById("going"));
    drawing.show();
    place.dataset.ready = "yes";
  });
  drawing.say(own ? DRAGGING : "Choose Draw an outline, then each corner on the map; or write the outline below, as GeoJSON, which the map follows.");
}

const panel = document.getElementById("drawing");
if (panel && window.maplibregl) startDrawing(panel).catch(() => { panel.hidden = true; });
