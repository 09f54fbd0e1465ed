"""Why somebody is not signed in. The message is for whoever tries."""


class SignInError(Exception):
    """Somebody is not signed in."""


class WrongCredentialsError(SignInError):
    """User name, password or code is wrong; which of them is not told."""

    def __init__(self) -> None:
        super().__init__("User name or password is wrong.")


class WrongCodeError(SignInError):
    """The one-time code is wrong, old, or was used."""

    def __init__(self) -> None:
        super().__init__("The code is wrong, or was used already. Enter the one that your app shows now.")


class CodesOnError(SignInError):
    """One-time codes are on."""

    def __init__(self) -> None:
        super().__init__("One-time codes are on already. To use another app, turn them off first.")


class SetUpCodeError(SignInError):
    """The set-up code is none, was used, or is too old."""

    def __init__(self) -> None:
        super().__init__("The set-up code is not good: it was used, or is too old. Ask for a new one.")


class ProviderError(SignInError):
    """A provider elsewhere vouches for nobody, or can't be asked; the log says more."""

    def __init__(self) -> None:
        super().__init__("That sign-in did not work. Try again, or sign in another way.")


class TooManyAttemptsError(SignInError):
    """There were too many attempts lately."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many attempts. Try again in {seconds} seconds.")
        self.seconds = seconds
