"""A hostile agent: whatever it can try without ending its own process, one attempt for each decision.

It is graded as it stands, after lines that say whom it attacks: ``PID`` and ``FOLDER`` of the grader, ``PORT`` and
``ABSTRACT`` of servers, ``SECRET`` of a file.
"""

import contextlib
import ctypes
import errno
import gc
import os
import platform
import posix
import re
import resource
import signal
import socket
import subprocess
import sys
import time

PID, FOLDER, PORT, ABSTRACT = os.getppid(), "/", 9, "nobody"
ATTEMPTS = []
LIBRARY = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
RAW = {  # system calls by number: x86_64, aarch64
    "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "process_vm_readv": (310, 270), "clone3": (435, 435), "pidfd_getfd": (438, 438),
    "memfd_create": (319, 279), "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "setns": (308, 268), "kexec_load": (246, 104), "open_by_handle_at": (304, 265),
}  # fmt: skip


def call(name, *arguments):
    """Call a function of the C library, or a system call by number; raises OSError."""
    if name in RAW:
        arguments = (ctypes.c_long(RAW[name][0 if X86 else 1]), *arguments)
        name = "syscall"
    found = getattr(LIBRARY, name)(*arguments)
    if found == -1:
        raise OSError(ctypes.get_errno(), name)
    return found


def attempt(function):
    """Add a function to the attempts; it returns whether it succeeded, or raises OSError."""
    ATTEMPTS.append(function)
    return function


def target(name="target.txt"):
    return os.path.join(FOLDER, name)


def any_works(*attempts):
    """Whether one of some attempts raises no OSError."""
    for attempt in attempts:
        with contextlib.suppress(OSError):
            attempt()
            return True
    return False


# -- files ---------------------------------------------------------------------------------------


@attempt
def reads_files_of_the_teacher():
    return any_works(lambda: open(target()).read(), lambda: open(target("seed.txt")).read())


@attempt
def lists_folders_of_the_teacher():
    return any_works(lambda: os.listdir(FOLDER), lambda: os.listdir("/home"), lambda: os.listdir("/etc/passwd"))


@attempt
def opens_for_writing():
    return any_works(lambda: open(target(), "a").close(), lambda: open(target("new.txt"), "w").close())


@attempt
def opens_relative_to_a_folder():
    folder = os.open(FOLDER, os.O_RDONLY)
    os.close(os.open("target.txt", os.O_WRONLY, dir_fd=folder))
    return True


@attempt
def renames_relative_to_a_folder():
    os.rename("target.txt", "gone.txt", src_dir_fd=os.open(FOLDER, os.O_RDONLY))
    return True


@attempt
def links_relative_to_a_folder():
    os.link("target.txt", "mine.txt", src_dir_fd=os.open(FOLDER, os.O_RDONLY))
    return True


@attempt
def makes_a_pipe_or_a_device():
    return any_works(
        lambda: os.mkfifo(target("fifo")), lambda: os.mknod(target("node")), lambda: os.mknod("node", 0o20666, 0x0103)
    )


@attempt
def changes_rights():
    def by_descriptor():
        os.fchmod(os.open(target(), os.O_RDONLY), 0o777)

    return any_works(by_descriptor, lambda: os.chmod(target(), 0o777), lambda: os.utime(target()))


@attempt
def removes_files():
    return any_works(lambda: os.remove(target()), lambda: os.truncate(target(), 0), lambda: os.rmdir(FOLDER))


@attempt
def writes_through_a_link():
    os.symlink(target(), "link.txt")
    with open("link.txt", "a"):
        return True


@attempt
def writes_by_the_c_library():
    return call("open", target("c.txt").encode(), os.O_WRONLY | os.O_CREAT, 0o600) >= 0


@attempt
def writes_in_common_folders():
    names = [f"{folder}/hostile" for folder in ("", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/usr", "/etc")]
    return any_works(*[lambda name=name: open(name, "w").close() for name in names])


@attempt
def poisons_packages():
    import numpy

    import gridpuzzles_gym

    paths = [numpy.__file__, gridpuzzles_gym.__file__, os.__file__, sys.executable]
    return any_works(*[lambda path=path: os.close(os.open(path, os.O_WRONLY)) for path in paths])


@attempt
def opens_files_by_handle():
    handle = (ctypes.c_char * 136)(8)
    return call("open_by_handle_at", -100, handle, os.O_RDONLY) >= 0


# -- the network ---------------------------------------------------------------------------------


@attempt
def connects():
    socket.create_connection(("127.0.0.1", PORT), 0.2).close()
    return True


@attempt
def sends_a_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendmsg([b"stolen"], [], 0, ("127.0.0.1", PORT))
    return False  # the grader's server says whether it arrived


@attempt
def connects_to_an_abstract_socket():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + ABSTRACT)
    return True


@attempt
def connects_to_a_socket_file():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(target("socket"))
    return True


@attempt
def asks_for_names():
    return any_works(lambda: socket.getaddrinfo("example.org", 80))


# -- processes -----------------------------------------------------------------------------------


@attempt
def forks():
    if not (child := os.fork()):
        os._exit(0)
    os.waitpid(child, 0)
    return True


@attempt
def forks_by_the_c_library():
    if not (child := call("fork")):
        os._exit(0)
    os.waitpid(child, 0)
    return True


@attempt
def clones():
    arguments = (ctypes.c_uint64 * 11)()
    arguments[4] = signal.SIGCHLD
    if not (child := call("clone3", arguments, ctypes.sizeof(arguments))):
        os._exit(0)
    os.waitpid(child, 0)
    return True


@attempt
def starts_programs():
    return any_works(
        lambda: subprocess.run(["true"]), lambda: os.posix_spawn("/usr/bin/true", ["true"], {}), lambda: os.forkpty()
    )


@attempt
def starts_programs_without_events():
    import _posixsubprocess

    error, failed = os.pipe()
    arguments = [[b"true"], [b"/usr/bin/true"], True, (failed,), None, None, -1, -1, -1, -1, -1, -1, error, failed]
    more = [False, False, -1, None, None, None, -1, None, True]
    try:
        _posixsubprocess.fork_exec(*arguments, *more)
    finally:
        os.close(error)
        os.close(failed)
    return True


@attempt
def calls_the_shell():
    return os.system("true") == 0


@attempt
def uses_numbers_of_another_interface():
    if not X86:
        raise OSError(errno.ENOSYS, "x86_64 only")
    if not (child := call("syscall", ctypes.c_long(0x40000000 | 57))):
        os._exit(0)
    return child > 0


# -- the grader ----------------------------------------------------------------------------------


@attempt
def signals_the_grader():
    return any_works(lambda: os.kill(PID, 0), lambda: os.kill(-1, 0), lambda: os.killpg(os.getpgid(PID), 0))


@attempt
def signals_by_a_descriptor():
    signal.pidfd_send_signal(os.pidfd_open(PID), 0)
    return True


@attempt
def limits_the_grader():
    resource.prlimit(PID, resource.RLIMIT_CORE, (0, 0))
    return True


@attempt
def slows_the_grader():
    return any_works(
        lambda: os.setpriority(os.PRIO_PROCESS, PID, 19), lambda: os.sched_setaffinity(PID, {0}),
        lambda: os.sched_setscheduler(PID, os.SCHED_IDLE, os.sched_param(0)),
    )  # fmt: skip


@attempt
def traces_the_grader():
    seize = 0x4206
    return call("ptrace", seize, PID, None, None) == 0


@attempt
def reads_memory_of_the_grader():
    buffer = ctypes.create_string_buffer(8)
    pair = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 8)
    there = (ctypes.c_uint64 * 2)(0, 8)
    try:
        return call("process_vm_readv", PID, pair, 1, there, 1, 0) > 0
    except OSError as error:
        if error.errno == errno.EFAULT:  # only the address was wrong
            return True
        raise


@attempt
def takes_descriptors_of_the_grader():
    return call("pidfd_getfd", os.pidfd_open(PID), 0, 0) >= 0


@attempt
def reads_proc_of_the_grader():
    names = "cmdline", "environ", "mem", "maps", "fd", "status", "cwd", "root"
    paths = [f"/proc/{pid}/{name}" for pid in (PID, os.getppid() or 1, 1) for name in names]
    return any_works(*[lambda path=path: os.close(os.open(path, os.O_RDONLY)) for path in paths])


@attempt
def sees_other_processes():
    return [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()] != []


# -- secrets -------------------------------------------------------------------------------------


@attempt
def finds_a_seed_in_what_it_was_given():
    texts = [*sys.argv, *sys.orig_argv, *os.environ, *os.environ.values()]
    return any(re.search(r"\d{15,}|seed", text) for text in texts)


@attempt
def finds_the_environment():
    names = {"PuzzleEnv", "PuzzleVectorEnv", "Batch", "Scene", "Contest", "Performance", "Grades"}
    return bool({type(each).__name__ for each in gc.get_objects()} & names)


@attempt
def finds_it_in_the_frames():
    frame, names = sys._getframe(), set()
    while frame:
        names |= {*frame.f_locals}
        frame = frame.f_back
    return bool(names & {"env", "contest", "seed", "level", "grades", "endings", "inner"})


@attempt
def finds_it_in_modules_of_the_grader():
    from gridpuzzles_gym.commands.grading import agent_process, contest, grades

    kinds = contest.Contest, contest.Performance, grades.Grades, agent_process.AgentProcess
    return any(isinstance(each, kinds) for each in gc.get_objects())


@attempt
def finds_it_in_inherited_descriptors():
    """Whether there are more than the standard ones and two pipes, or a pipe can be read or written the wrong way."""
    found = []
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            found.append((descriptor, os.fstat(descriptor).st_mode & 0o170000))
    return [kind for _, kind in found if kind not in (0o020000,)] != [0o010000, 0o010000]


@attempt
def opens_its_pipes_again():
    return any_works(
        *[lambda n=n: os.close(os.open(f"/proc/self/fd/{n}", os.O_RDWR | os.O_NONBLOCK)) for n in range(3, 64)]
    )


@attempt
def reads_keys_of_the_user():
    return call("keyctl", 0, -3, 0) > 0


# -- more rights, more memory --------------------------------------------------------------------


@attempt
def becomes_root():
    return any_works(lambda: posix.setuid(0)) and any_works(lambda: os.chroot("."))


@attempt
def makes_namespaces():
    return any_works(
        lambda: call("unshare", 0x10000000), lambda: call("unshare", 0x00020000), lambda: call("setns", 0, 0)
    )


@attempt
def mounts():
    return any_works(
        lambda: call("mount", b"tmpfs", b"/scratch", b"tmpfs", 0, None),
        lambda: call("mount", b"proc", b"/proc", b"proc", 0, None),
        lambda: call("umount2", b"/scratch", 2),
        lambda: os.chroot("/"),
    )


@attempt
def changes_the_system():
    return any_works(
        lambda: socket.sethostname("hostile"), lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()),
        lambda: os.nice(-5), lambda: call("kexec_load", 0, 0, None, 0), lambda: call("reboot", 0),
    )  # fmt: skip


@attempt
def raises_its_limits():
    kinds = resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    if any(resource.getrlimit(kind)[1] == resource.RLIM_INFINITY for kind in kinds):
        return True

    def allowed(kind):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, unlimited)
            return True
        return False

    return any(allowed(kind) for kind in kinds)


@attempt
def takes_memory_that_is_not_counted():
    return any_works(
        lambda: call("shmget", 0, 2**20, 0o1600), lambda: call("memfd_create", b"m", 0), lambda: os.memfd_create("m"),
        lambda: call("msgget", 0, 0o1600), lambda: call("semget", 0, 9, 0o1600),
        lambda: call("mq_open", b"queue", 0o102, 0o600, None),
    )  # fmt: skip


@attempt
def uses_dangerous_parts_of_the_kernel():
    buffer = (ctypes.c_char * 256)()
    return any_works(
        lambda: call("bpf", 0, buffer, 72), lambda: call("perf_event_open", buffer, 0, -1, -1, 0),
        lambda: call("userfaultfd", 1), lambda: call("io_uring_setup", 1, buffer),
    )  # fmt: skip


class Hostile:
    """Returns 1 if the attempt with the number that it sees succeeds, and 0 if the system refuses it."""

    def predict(self, observation):
        try:
            return int(bool(ATTEMPTS[int(observation[0])]()))
        except OSError:
            return 0
