"""The pages, a module each part of the portal."""

from headland.portal.pages import (
    account,
    applications,
    attachments,
    boundaries,
    data,
    environments,
    farm,
    home,
    importing,
    instances,
    job_events,
    jobs,
    people,
    provisioning,
    sessions,
    sign_in,
    spark,
    subscriptions,
    tiles,
)

PAGES = (
    *home.PAGES,
    *sign_in.PAGES,
    *account.PAGES,
    *people.PAGES,
    *subscriptions.PAGES,
    # Before the instances: `new` is no subscription.
    *provisioning.PAGES,
    *instances.PAGES,
    # Before the farm's lists: these are no kinds of documents.
    *tiles.PAGES,
    *boundaries.PAGES,
    *importing.PAGES,
    *attachments.PAGES,
    *farm.PAGES,
    *applications.PAGES,
    *jobs.PAGES,
    *job_events.PAGES,
    *sessions.PAGES,
    *environments.PAGES,
    *spark.PAGES,
    *data.PAGES,
)
