"""Many documents at once, as lines of JSON: brought in chunk by chunk, and taken out as one state of the store."""
