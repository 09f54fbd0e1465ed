// The map: outlines alone, on a plain ground, so that it needs nothing from elsewhere.
"use strict";

function coloured(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// West, south, east and north of all positions in GeoJSON coordinates.
function boxOf(features) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const look = (coordinates) => {
    if (typeof coordinates[0] !== "number") { coordinates.forEach(look); return; }
    box[0] = Math.min(box[0], coordinates[0]);
    box[1] = Math.min(box[1], coordinates[1]);
    box[2] = Math.max(box[2], coordinates[0]);
    box[3] = Math.max(box[3], coordinates[1]);
  };
  for (const feature of features) look(feature.geometry.coordinates);
  return box;
}

async function drawMap(place) {
  const missing = document.getElementById("map-missing");
  const answer = await fetch(place.dataset.outlines);
  if (!answer.ok) { missing.textContent = "The outlines can't be shown now. Load the page again."; return; }
  const outlines = await answer.json();
  if (outlines.features.length === 0) { missing.textContent = "No boundary has an outline yet."; return; }
  place.hidden = false;
  maplibregl.setWorkerUrl(place.dataset.worker);
  const map = new maplibregl.Map({
    container: place,
    attributionControl: false,
    bounds: boxOf(outlines.features),
    fitBoundsOptions: { padding: 40, maxZoom: 17 },
    style: {
      version: 8,
      sources: { outlines: { type: "geojson", data: outlines } },
      layers: [
        { id: "ground", type: "background", paint: { "background-color": coloured("--raised") } },
        { id: "inside", type: "fill", source: "outlines", paint: { "fill-color": coloured("--accent"), "fill-opacity": 0.25 } },
        { id: "line", type: "line", source: "outlines", paint: { "line-color": coloured("--accent"), "line-width": 2 } },
      ],
    },
  });
  map.addControl(new maplibregl.NavigationControl({ showCompass: false }));
  map.addControl(new maplibregl.ScaleControl());
  map.on("load", () => {
    map.resize();
    place.dataset.drawn = "yes";
  });
  map.on("click", "inside", (event) => {
    new maplibregl.Popup().setLngLat(event.lngLat).setText(event.features[0].properties.name).addTo(map);
  });
  const many = outlines.features.length;
  missing.textContent = many === 1 ? "1 outline." : `${many} outlines.`;
}

const place = document.getElementById("map");
if (place && window.maplibregl) {
  drawMap(place).catch(() => { document.getElementById("map-missing").textContent = "This browser can't draw the map."; });
}
