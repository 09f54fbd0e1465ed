"""Languages of sessions and statements, under the names that Livy has for them."""

#: What clients may say, and what it is called in answers.
NAMES = {
    "spark": "spark",
    "scala": "spark",
    "pyspark": "pyspark",
    "python": "pyspark",
    "sql": "sql",
    "shared": "shared",
    "sparkr": "sparkr",
    "r": "sparkr",
}

#: A session of this kind leaves it to each statement.
SHARED = "shared"

#: The interpreter that runs a kind of statement.
INTERPRETERS = {"pyspark": "python", "spark": "jvm", "sql": "jvm"}

#: The interpreter that a kind of session begins with.
FIRST = {"pyspark": "python", "spark": "jvm", "sql": "jvm", "shared": "jvm"}
