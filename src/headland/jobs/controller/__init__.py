"""The controller: takes batches on, has each run once, and brings rows in line with what happened.

What is wanted stands in the rows, what is the case in the run directories. Each step looks at both and does
the next thing; a step that was cut short is done again. So there is no state here that a kill could lose.
"""
