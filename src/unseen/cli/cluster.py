"""Choose the place where a command works: processes of this machine, or a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from unseen.utils.errors import InputError


def refuse_two_places(cluster: int, scheduler: str, **others: bool) -> None:
    """Refuse a command that names two places to work at; the others are options by name, and whether they are given."""
    chosen = {f"--{name}": there for name, there in others.items()}
    chosen |= {"--cluster": cluster > 0, "--scheduler": bool(scheduler)}
    given = [name for name, there in chosen.items() if there]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} are different places to run: give one of them")


@contextmanager
def work_at(cluster: int, scheduler: str) -> Iterator[None]:
    """Let searches and evaluations run on the Dask cluster that the options name, if they name one."""
    if not cluster and not scheduler:
        yield
        return
    from unseen.utils.cluster import Cluster

    with Cluster(cluster, scheduler).use():
        yield
