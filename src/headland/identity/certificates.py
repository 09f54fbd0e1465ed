"""Rules of applications' certificates. Each function is one change in one transaction."""

from dataclasses import replace

from sqlalchemy import Connection

from headland.identity import applications, store
from headland.identity.errors import CertificateNotFoundError, CertificateTakenError, InvalidFieldError
from headland.identity.names import check_name
from headland.identity.records import Certificate

#: Each assertion is compared with all of its application's; nobody needs more side by side.
MOST_CERTIFICATES = 50


def of(connection: Connection, tenant_id: str, client_id: str) -> list[Certificate]:
    """The application's certificates, oldest first.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
    """
    application = applications.get(connection, tenant_id, client_id)
    return store.certificates(connection, application.client_id)


def add(
    connection: Connection,
    tenant_id: str,
    client_id: str,
    made: Certificate,
) -> Certificate:
    """A further certificate of the application, which was read before (`read_certificate`): nobody else writes
    meanwhile. Those it has stay good.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
        InvalidFieldError: its name is no name, or there are too many.
        CertificateTakenError: the application has it.
    """
    application = applications.get(connection, tenant_id, client_id)
    registered = store.certificates(connection, application.client_id)
    if made.name is not None:
        check_name(made.name)
    made = replace(made, client_id=application.client_id)
    if any(other.thumbprint_sha256 == made.thumbprint_sha256 for other in registered):
        raise CertificateTakenError
    if len(registered) >= MOST_CERTIFICATES:
        raise InvalidFieldError(
            "certificate", f"is one more than the {MOST_CERTIFICATES} that an application may have."
        )
    store.add_certificate(connection, made)
    return made


def remove(connection: Connection, tenant_id: str, client_id: str, certificate_id: str) -> Certificate:
    """Delete a certificate: nobody gets a token by it any more. What it was.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
        CertificateNotFoundError: the application has no such certificate.
    """
    registered = of(connection, tenant_id, client_id)
    gone = next((certificate for certificate in registered if certificate.id == certificate_id), None)
    if gone is None:
        raise CertificateNotFoundError
    store.delete_certificate(connection, gone.id)
    return gone
