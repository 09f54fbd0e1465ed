// GeoJSON, and the rings that are drawn.
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
