"""Vector tiles: outlines cut into squares of a map, as maps in browsers and desktop programs take them."""
