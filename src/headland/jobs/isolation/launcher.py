"""Starts a program behind walls, and ends as it does. Its arguments: `<description> [<descriptor> …] -- <program> …`.

The description is a file of lines, a word and a value:

| word | value |
| --- | --- |
| `wall` | `namespaces` or `landlock`; without any, the program is only kept from gaining rights |
| `root` | an empty folder, on which the program's own root is mounted |
| `read` | a folder or file that the program may read |
| `write` | one that it may change as well; else nothing can be written |
| `hide` | a folder of which nothing is seen but what other lines name in it |
| `tmp` | the folder that is to be the program's `/tmp` |
| `processes`, `files` | how many of them it may have, processes by owner where there are no namespaces |

With `namespaces` there are three processes: this one, which stays outside and passes signals on; the first process of
the namespace, with whose end all others in it end; the program. With the end of whoever started this one, all end.
The descriptors named are left open for the program, as are the first three.
"""

import _signal as signal  # type: ignore[import-not-found]  # `signal` is slow to import
import os
import sys

from headland.jobs.isolation import kernel

#: Exit codes, as those of `env`: no walls, no program.
NO_WALLS, NO_PROGRAM = 125, 127

#: Seconds that what a program left behind gets to go by itself.
_LEFTOVER_GRACE = 2.0

#: Signals that are passed on, and the word of a child's end.
_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_AWAITED = (*_PASSED_ON, signal.SIGCHLD)

#: Folders of the system that every program may read, and what it may read of `/etc`, which has secrets too.
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/sys/devices/system",
    "/sys/fs/cgroup",
)
ETC = (
    *(
        "alternatives",
        "ca-certificates",
        "ca-certificates.conf",
        "crypto-policies",
        "fonts",
        "gai.conf",
        "group",
    ),
    *("host.conf", "hostname", "hosts", "java", "krb5.conf", "krb5.conf.d", "ld.so.cache", "ld.so.conf"),
    *("ld.so.conf.d", "localtime", "locale.alias", "machine-id", "mime.types", "nsswitch.conf", "os-release"),
    *("passwd", "pki/ca-trust", "pki/java", "pki/tls/certs", "pki/tls/cert.pem", "protocols", "python3"),
    *("resolv.conf", "services", "ssl/certs", "ssl/openssl.cnf", "timezone"),
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

#: Where the program has folders of its own in the place of the system's.
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108
_SHARED = "/dev/shm"  # noqa: S108

#: Parts of `/proc` by which root, without any rights of its own, could change the machine.
_KERNEL = ("sys", "irq", "bus", "fs", "sysrq-trigger")


class Walls:
    """What a description says."""

    def __init__(self, text: str) -> None:
        said: dict[str, list[str]] = {}
        for line in text.splitlines():
            word, _, value = line.partition(" ")
            said.setdefault(word, []).append(value)
        self.walls = said.get("wall", [])
        self.root = said["root"][0]
        self.tmp = said["tmp"][0]
        self.read = [*SYSTEM, *(f"/etc/{name}" for name in ETC), *said.get("read", [])]
        self.write = said.get("write", [])
        self.hide = said.get("hide", [])
        self.processes = int(said.get("processes", ["0"])[0])
        self.files = int(said.get("files", ["0"])[0])


def main() -> None:
    """The program's start."""
    description, *rest = sys.argv[1:]
    split = rest.index("--")
    keep, command = [int(number) for number in rest[:split]], rest[split + 1 :]
    try:
        # Paths are bytes to the kernel; what is none of UTF-8 comes through.
        with open(description, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
            walls = Walls(file.read())
        if "namespaces" in walls.walls:
            _in_namespaces(walls, keep, command)
        _become(walls, keep, command)
    except OSError as error:
        _give_up(f"The walls around this job can't be put up: {error.filename}: {error.strerror}", NO_WALLS)


def _in_namespaces(walls: Walls, keep: list[int], command: list[str]) -> None:
    user, group, folder = os.getuid(), os.getgid(), os.getcwd()  # noqa: PTH109
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC)
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        _write(f"/proc/self/{file}", text)
    kernel.end_with_parent(signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    told, tell = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(told)
        try:
            _be_first(walls, keep, command, folder, tell)
        except OSError as error:
            _give_up(
                f"The walls around this job can't be put up: {error.filename}: {error.strerror}",
                NO_WALLS,
                tell,
            )
    os.chdir("/")
    _let_go([told])
    kernel.drop_capabilities()
    kernel.hide_memory()
    while True:
        arrived = signal.sigwait(_AWAITED)
        if arrived != signal.SIGCHLD:
            os.kill(first, arrived)
        elif os.waitpid(first, os.WNOHANG)[0]:
            said = os.read(told, 16)
            _end_as(int(said) if said else signal.SIGKILL)


def _be_first(walls: Walls, keep: list[int], command: list[str], folder: str, tell: int) -> None:
    """Be the namespace's first process: make what the program sees, start it, and wait for all there is."""
    kernel.end_with_parent(signal.SIGKILL)
    if os.getppid() != 0:
        raise OSError(0, "is not the first of its namespace", "the launcher")
    _make_root(walls)
    _enter(folder)
    program = os.fork()
    if program == 0:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        try:
            _become(walls, keep, command)
        except OSError as error:
            _give_up(
                f"The walls around this job can't be put up: {error.filename}: {error.strerror}", NO_WALLS
            )
    os.chdir("/")
    _let_go([tell])
    kernel.drop_capabilities()
    kernel.hide_memory()
    status = None
    while status is None:
        arrived = signal.sigwait(_AWAITED)
        if arrived == signal.SIGCHLD:
            status = _collect().get(program)
        else:
            os.kill(program, arrived)
    # Nothing of a job goes on when the job has ended; what is left gets the time to say goodbye.
    left = int(_LEFTOVER_GRACE / 0.02)
    while left and _signal_all():
        signal.sigtimedwait((signal.SIGCHLD,), 0.02)
        _collect()
        left -= 1
    os.write(tell, str(status).encode())
    os._exit(0)


def _become(walls: Walls, keep: list[int], command: list[str]) -> None:
    """Give up every right, and be the program."""
    import resource  # noqa: PLC0415

    kernel.close_from(3, keep)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for limit, most in ((resource.RLIMIT_NPROC, walls.processes), (resource.RLIMIT_NOFILE, walls.files)):
        if most:
            hard = resource.getrlimit(limit)[1]
            new = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(limit, (new, new))
    kernel.refuse_privileges()
    if walls.walls:
        kernel.drop_capabilities()
    if "landlock" in walls.walls:
        own = "namespaces" in walls.walls
        write = [*walls.write, *((*_TEMPORARY, _SHARED) if own else (walls.tmp,))]
        kernel.restrict([*walls.read, "/proc"], write, [*DEVICES], ["/"] if own else [])
    for descriptor in keep:
        os.set_inheritable(descriptor, True)
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        _give_up(f"{command[0]} can't be started: {error.strerror}", NO_PROGRAM)


def _make_root(walls: Walls) -> None:
    """Mount what the program sees, and nothing else, and make that the root."""
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    root = os.path.realpath(walls.root)
    kernel.mount("headland", root, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=0755")
    kinds = {os.path.realpath(path): "read" for path in walls.read}
    kinds |= {os.path.realpath(path): "write" for path in walls.write}
    kinds |= {os.path.realpath(path): "hide" for path in walls.hide}
    kinds.pop("/", None)
    # Folders come before what is in them.
    ours = [root]
    for folder in _TEMPORARY:
        _bind(root, walls.tmp, folder, kernel.ATTR_NOSUID | kernel.ATTR_NODEV)
    for path in sorted(kinds):
        if kinds[path] == "hide":
            if _mount_point(root + path, folder=True):
                kernel.mount(
                    "headland", root + path, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=0755"
                )
                ours.append(root + path)
        else:
            changes = kernel.ATTR_RDONLY if kinds[path] == "read" else 0
            _bind(root, path, path, changes | kernel.ATTR_NOSUID | kernel.ATTR_NODEV)
    _make_devices(root)
    _make_proc(root)
    for path in (*walls.read, *walls.write):
        _link(root, path)
    for folder in reversed(ours):
        kernel.set_mount(folder, kernel.ATTR_RDONLY, recursive=False)
    kernel.change_root(root)


def _bind(root: str, source: str, target: str, attributes: int) -> None:
    """Have `source`, if it is there, at `target` below the root."""
    if os.path.exists(source) and _mount_point(root + target, folder=os.path.isdir(source)):  # noqa: PTH110, PTH112
        kernel.mount(source, root + target, "", kernel.MS_BIND | kernel.MS_REC)
        kernel.set_mount(root + target, attributes, recursive=True)


def _mount_point(path: str, *, folder: bool) -> bool:
    """Make what something is mounted on, unless it is there; whether it is then."""
    if not os.path.lexists(path):
        os.makedirs(path if folder else os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        if not folder:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    return not os.path.islink(path)  # noqa: PTH114


def _make_devices(root: str) -> None:
    for device in DEVICES:
        _bind(root, device, device, kernel.ATTR_NOSUID)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{root}/dev/{name}")  # noqa: PTH211
    shared = root + _SHARED
    os.mkdir(shared)  # noqa: PTH102
    kernel.mount("headland", shared, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=64m,mode=1777")


def _make_proc(root: str) -> None:
    proc = f"{root}/proc"
    os.mkdir(proc)  # noqa: PTH102
    kernel.mount("proc", proc, "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    # A namespace of the program's own would give it rights in there, and with them more of the kernel to try.
    _write(f"{proc}/sys/user/max_user_namespaces", "0")
    for name in _KERNEL:
        _bind("", f"{proc}/{name}", f"{proc}/{name}", kernel.ATTR_RDONLY)


def _link(root: str, path: str) -> None:
    """Have the links by which `path` is reached."""
    for _ in range(40):
        here = ""
        for part in path.strip("/").split("/"):
            here = f"{here}/{part}"
            if os.path.islink(here):  # noqa: PTH114
                break
        else:
            return
        target = os.readlink(here)  # noqa: PTH115
        if not os.path.lexists(root + here):
            os.makedirs(os.path.dirname(root + here), exist_ok=True)  # noqa: PTH103, PTH120
            os.symlink(target, root + here)  # noqa: PTH211
        above = os.path.dirname(here)  # noqa: PTH120
        path = os.path.normpath(f"{above}/{target}" if target[0] != "/" else target) + path[len(here) :]


def _enter(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError:
        os.chdir("/")


def _let_go(keep: list[int]) -> None:
    """Hold nothing open that the program's readers wait for the end of."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    kernel.close_from(3, keep)


def _collect() -> dict[int, int]:
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def _signal_all() -> bool:
    """Ask all others of the namespace to end; whether there are any."""
    try:
        os.kill(-1, signal.SIGTERM)
    except ProcessLookupError:
        return False
    return True


def _end_as(status: int) -> None:
    """End with the wait status of the program."""
    if not os.WIFSIGNALED(status):
        os._exit(os.waitstatus_to_exitcode(status))
    number = os.WTERMSIG(status)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _give_up(message: str, code: int, tell: int = -1) -> None:
    """End without the program."""
    os.write(2, f"{message}\n".encode("utf-8", "surrogateescape"))
    if tell >= 0:
        os.write(tell, str(code << 8).encode())
    os._exit(code)


def _write(file: str, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, file) from None
    finally:
        os.close(descriptor)
