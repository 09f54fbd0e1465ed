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
    takePlace(drawing, document.getElementById("going"));
    drawing.show();
    place.dataset.ready = "yes";
  });
  if (own) drawing.say("Drag corners where they belong; the small dots between them make new ones.");
}

const panel = document.getElementById("drawing");
if (panel && window.maplibregl) startDrawing(panel).catch(() => { panel.hidden = true; });
