SELECT * FROM VALUES (1, 'rye', 1.5), (2, 'oats', 2.0) AS fields(id, crop, hectares)
