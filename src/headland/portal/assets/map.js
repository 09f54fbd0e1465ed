// Maps: outlines alone, on a plain ground, so that they need nothing from elsewhere.
"use strict";

function coloured(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// West, south, east and north of all positions in GeoJSON coordinates.
function boxOf(geometries) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const look = (coordinates) => {
    if (typeof coordinates[0] !== "number") { coordinates.forEach(look); return; }
    box[0] = Math.min(box[0], coordinates[0]);
    box[1] = Math.min(box[1], coordinates[1]);
    box[2] = Math.max(box[2], coordinates[0]);
    box[3] = Math.max(box[3], coordinates[1]);
  };
  for (const geometry of geometries) look(geometry.coordinates);
  return box;
}

// What TileJSON says, as a source of MapLibre.
async function tilesFrom(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`tiles: ${answer.status}`);
  const { tiles, bounds, minzoom, maxzoom } = await answer.json();
  return { bounds, source: { type: "vector", tiles, minzoom, maxzoom } };
}

// Layers of the tiles, in one colour. Places are what is too many, or too small, to be drawn.
function tileLayers(colour) {
  return [
    { id: "inside", type: "fill", source: "tiles", "source-layer": "outlines", paint: { "fill-color": colour, "fill-opacity": 0.25 } },
    { id: "line", type: "line", source: "tiles", "source-layer": "outlines", paint: { "line-color": colour, "line-width": 2 } },
    {
      id: "places", type: "circle", source: "tiles", "source-layer": "places",
      paint: {
        "circle-color": colour,
        "circle-opacity": 0.75,
        "circle-radius": ["interpolate", ["linear"], ["log10", ["get", "count"]], 0, 3, 4, 15],
      },
    },
  ];
}

// In the colours of light or dark, whichever it is, `layers` being made anew for the other.
function makeMap(place, { sources, layers, bounds }) {
  const drawn = () => [{ id: "ground", type: "background", paint: { "background-color": coloured("--raised") } }, ...layers()];
  maplibregl.setWorkerUrl(place.dataset.worker);
  const map = new maplibregl.Map({
    container: place,
    attributionControl: false,
    fadeDuration: 0,
    maxZoom: 20,
    ...(bounds ? { bounds, fitBoundsOptions: { padding: 40, maxZoom: 17 } } : { center: [10, 30], zoom: 1 }),
    style: {
      version: 8,
      sources,
      layers: drawn(),
    },
  });
  map.addControl(new maplibregl.NavigationControl({ showCompass: false }));
  map.addControl(new maplibregl.ScaleControl());
  map.once("idle", () => { place.dataset.drawn = "yes"; });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const { id, paint } of drawn()) {
      for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, name, value);
    }
  });
  return map;
}

function showOnClick(map, base) {
  map.on("click", "inside", (event) => {
    const { id, partyId, name } = event.features[0].properties;
    const link = document.createElement("a");
    link.href = `${base}/parties/${encodeURIComponent(partyId)}/boundaries/${encodeURIComponent(id)}`;
    link.textContent = name || id;
    new maplibregl.Popup().setLngLat(event.lngLat).setDOMContent(link).addTo(map);
  });
  map.on("click", "places", (event) => {
    if (map.queryRenderedFeatures(event.point, { layers: ["inside"] }).length === 0) {
      map.easeTo({ center: event.features[0].geometry.coordinates, zoom: map.getZoom() + 2 });
    }
  });
  for (const layer of ["inside", "places"]) {
    map.on("mouseenter", layer, () => { map.getCanvas().style.cursor = "pointer"; });
    map.on("mouseleave", layer, () => { map.getCanvas().style.cursor = ""; });
  }
}

async function drawMap(place, told) {
  told.textContent = "The map is being drawn.";
  const { source, bounds } = await tilesFrom(place.dataset.tiles);
  if (!bounds) { told.textContent = "No boundary has an outline yet."; return; }
  place.hidden = false;
  const map = makeMap(place, { sources: { tiles: source }, layers: () => tileLayers(coloured("--accent")), bounds });
  showOnClick(map, place.dataset.base);
  map.on("error", () => { told.textContent = "Some outlines can't be shown now. Load the page again."; });
  told.textContent = "Choose an outline to see what it is; a dot stands for what is too small to be drawn.";
}

const shown = document.getElementById("map");
if (shown && shown.dataset.base && window.maplibregl) {
  drawMap(shown, document.getElementById("map-told")).catch(() => {
    document.getElementById("map-told").textContent = "The map can't be drawn now. Load the page again.";
  });
}
