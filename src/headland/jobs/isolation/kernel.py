"""What the walls ask of the kernel (Linux), by `ctypes`: namespaces, mounts, capabilities, Landlock.

Numbers and structures are the kernel's own: `linux/sched.h`, `linux/mount.h`, `linux/prctl.h`, `linux/landlock.h`.
System calls without a function in C libraries have the same number on every architecture that Spark runs on.
"""

import ctypes
import os
import sys

CLONE_NEWNS = 0x0002_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18

ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4

_MNT_DETACH = 2
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38

_SYS_CLOSE_RANGE = 436
_SYS_MOUNT_SETATTR = 442
_SYS_LANDLOCK_CREATE_RULESET = 444
_SYS_LANDLOCK_ADD_RULE = 445
_SYS_LANDLOCK_RESTRICT_SELF = 446

_CAPABILITY_VERSION_3 = 0x2008_0522

#: Rights of Landlock over files, in the order of their bits; those from `refer` on came with later versions.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_FIRST_RIGHTS = (1 << 13) - 1
_LATER_RIGHTS = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
_READING = _EXECUTE | _READ_FILE | _READ_DIR

#: Since version 6: abstract Unix sockets and processes of others are out of reach.
_SCOPED = 3

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("namespace", ctypes.c_uint64),
    )


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def unshare(flags: int) -> None:
    _done(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    encoded = (os.fsencode(source), os.fsencode(target), kind.encode())
    _done(_libc.mount(*encoded, ctypes.c_ulong(flags), data.encode()), target)


def set_mount(target: str, attributes: int, *, recursive: bool) -> None:
    """Add attributes to a mount, or to all below it."""
    wanted = _MountAttributes(attributes, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    _call(
        _SYS_MOUNT_SETATTR,
        _AT_FDCWD,
        os.fsencode(target),
        flags,
        ctypes.byref(wanted),
        ctypes.sizeof(wanted),
        named=target,
    )


def change_root(folder: str) -> None:
    """Make `folder`, which is a mount, the root, and let go of what was it."""
    os.chdir(folder)
    _done(_libc.pivot_root(b".", b"."), folder)
    _done(_libc.umount2(b".", _MNT_DETACH), "/")
    os.chdir("/")


def end_with_parent(number: int) -> None:
    """Have this process be sent a signal when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, number)


def hide_memory() -> None:
    """Keep others of the same user from this process's memory, and from what `/proc` has of it."""
    _prctl(_PR_SET_DUMPABLE, 0)


def drop_capabilities() -> None:
    """Have none, and get none from any program."""
    capability = 0
    while _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _done(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def refuse_privileges() -> None:
    """From now on no program that is started has more rights than this one."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def close_from(first: int, keep: list[int]) -> None:
    """Close every descriptor from `first` on that is not to be kept."""
    for kept in [*sorted(number for number in keep if number >= first), 1 << 31]:
        if kept > first:
            _call(_SYS_CLOSE_RANGE, first, kept - 1, 0, named="close_range")
        first = kept + 1


def landlock_version() -> int:
    """Of its interface; 0 where the kernel has none."""
    return max(0, int(_libc.syscall(_SYS_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1)))


def restrict(read: list[str], write: list[str], use: list[str], look: list[str]) -> None:
    """Leave this process, and what it starts, the folders and files to `read` and those to `write`. Of those to `use`
    contents are read and written, and nothing made or removed; of folders to `look` into, names are seen. What is not
    there is left out. To be called after `refuse_privileges`.

    Raises:
        OSError: the kernel has no Landlock.
    """
    version = landlock_version()
    if version == 0:
        raise OSError(0, "the kernel has no Landlock", "landlock")
    rights = _FIRST_RIGHTS
    for since, right in _LATER_RIGHTS:
        rights |= right if version >= since else 0
    ruleset = _Ruleset(rights, 0, _SCOPED if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _call(
        _SYS_LANDLOCK_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), 0, named="landlock"
    )
    using = (_READING | _WRITE_FILE | 1 << 14) & rights
    for paths, allowed in ((read, _READING), (write, rights), (use, using), (look, _READ_DIR)):
        for path in paths:
            _allow(rules, path, allowed)
    _call(_SYS_LANDLOCK_RESTRICT_SELF, rules, 0, named="landlock")
    os.close(rules)


def _allow(rules: int, path: str, allowed: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    folder = os.fstat(parent).st_mode & 0o170000 == 0o040000
    rule = _PathRule(allowed if folder else allowed & _OF_FILES, parent)
    _call(_SYS_LANDLOCK_ADD_RULE, rules, 1, ctypes.byref(rule), 0, named=path)
    os.close(parent)


def _prctl(option: int, value: int) -> None:
    _done(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def _call(number: int, *arguments: object, named: str) -> int:
    passed = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return _done(_libc.syscall(ctypes.c_long(number), *passed), named)


def _done(result: int, named: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), named)
    return int(result)


if not sys.platform.startswith("linux"):
    raise ImportError("walls around jobs are Linux's")
