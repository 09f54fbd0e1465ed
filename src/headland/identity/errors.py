"""What the rules of tenants and applications refuse. The message is for whoever asked."""


class IdentityError(Exception):
    """A rule of the identity service says no."""


class InvalidFieldError(IdentityError):
    """A field of a request is not as it must be."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        #: What is wrong with it, as what follows "it".
        self.problem = problem


class ApplicationNotFoundError(IdentityError):
    """There is no such application in the tenant."""

    def __init__(self) -> None:
        super().__init__("There is no such application.")


class SecretNotFoundError(IdentityError):
    """The application has no such secret."""

    def __init__(self) -> None:
        super().__init__("The application has no such secret.")


class CertificateNotFoundError(IdentityError):
    """The application has no such certificate."""

    def __init__(self) -> None:
        super().__init__("The application has no such certificate.")


class CertificateTakenError(IdentityError):
    """The application has that very certificate."""

    def __init__(self) -> None:
        super().__init__("certificate: is registered for this application already.")


class SessionNotFoundError(IdentityError):
    """The person has no such session."""

    def __init__(self) -> None:
        super().__init__("The person has no such session, or not any more.")


class PersonNotFoundError(IdentityError):
    """There is no such person in the tenant."""

    def __init__(self) -> None:
        super().__init__("There is no such person.")


class UserNameTakenError(IdentityError):
    """User names are the deployment's: nobody is asked for a tenant to sign in."""

    def __init__(self) -> None:
        super().__init__("userName: somebody has that name already.")


class TenantNotFoundError(IdentityError):
    """There is no such tenant, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("There is no such tenant.")


class TenantNameTakenError(IdentityError):
    """Two tenants of one name could not be told apart."""

    def __init__(self) -> None:
        super().__init__("name: another tenant has that name.")


class TenantNotEmptyError(IdentityError):
    """What belongs to a tenant would belong to nobody."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The tenant is not empty: {what} belongs to it. Delete what belongs to it first.")


class LastAdministratorError(IdentityError):
    """Without an administrator nobody could register applications any more."""

    def __init__(self) -> None:
        super().__init__("It is the last administrator; make another application an administrator first.")


class NotAdministratorError(IdentityError):
    """The application is not an administrator, or there is none."""

    def __init__(self) -> None:
        super().__init__("There is no such administrator application.")


class ForbiddenError(IdentityError):
    """The caller is no administrator."""

    def __init__(self) -> None:
        super().__init__("Only an administrator may do this.")


class NotOperatorError(IdentityError):
    """The caller is an administrator, but of a tenant that others made."""

    def __init__(self) -> None:
        super().__init__("Only an administrator of the first tenant may do this.")


class KeyPendingError(IdentityError):
    """A signing key waits to take over."""

    def __init__(self, kid: str, moment: str) -> None:
        super().__init__(
            f"Key {kid} is published and signs from {moment} on; a further one could only take over before that."
        )
