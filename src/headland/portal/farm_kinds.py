"""The kinds of documents that the pages of farm data show."""

from dataclasses import dataclass

from headland.portal.inside import RefusedError


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of documents that belong to a party."""

    segment: str
    #: In words, one and many.
    one: str
    many: str
    #: The API's word for one, where files can belong to it.
    type: str = ""
    #: Which members a list shows, by their titles.
    shown: tuple[tuple[str, str], ...] = ()


FARMS = Kind("farms", "Farm", "Farms", "Farm")
FIELDS = Kind("fields", "Field", "Fields", "Field")
BOUNDARIES = Kind("boundaries", "Boundary", "Boundaries", "Boundary", (("Type", "type"), ("Area", "area")))
SEASONAL_FIELDS = Kind(
    "seasonal-fields",
    "Seasonal field",
    "Seasons",
    "SeasonalField",
    (("Season", "seasonId"), ("Crop", "cropId")),
)
_OPERATED = (
    ("From", "operationStartDateTime"),
    ("To", "operationEndDateTime"),
    ("Area", "area"),
    ("Source", "source"),
)
APPLICATIONS = Kind("application-data", "Application", "Applications", "ApplicationData", _OPERATED)
HARVESTS = Kind("harvest-data", "Harvest", "Harvests", "HarvestData", _OPERATED)
OPERATIONS = (
    Kind("planting-data", "Planting", "Planting", "PlantingData", _OPERATED),
    APPLICATIONS,
    Kind("tillage-data", "Tillage", "Tillage", "TillageData", _OPERATED),
    HARVESTS,
)
PLANT_TISSUE_ANALYSES = Kind(
    "plant-tissue-analyses",
    "Plant tissue analysis",
    "Plant tissue analyses",
    "PlantTissueAnalysis",
    (("Taken", "sampleCollectionDateTime"), ("Growth stage", "growthStage"), ("Plant part", "plantPart")),
)
NUTRIENT_ANALYSES = Kind(
    "nutrient-analyses",
    "Nutrient analysis",
    "Nutrient analyses",
    "",
    (("Value", "value"), ("Unit", "unit"), ("Class", "classification")),
)
ATTACHMENTS = Kind("attachments", "Attachment", "Attachments", "", (("File", "originalFileName"),))

#: By what paths name them.
KINDS = {
    kind.segment: kind
    for kind in (
        FARMS,
        FIELDS,
        BOUNDARIES,
        SEASONAL_FIELDS,
        *OPERATIONS,
        PLANT_TISSUE_ANALYSES,
        NUTRIENT_ANALYSES,
        ATTACHMENTS,
    )
}


def kind_called(segment: str) -> Kind:
    """
    Raises:
        RefusedError: there is none such.
    """
    kind = KINDS.get(segment)
    if kind is None:
        raise RefusedError(404, "", "There are no documents of this kind.")
    return kind
