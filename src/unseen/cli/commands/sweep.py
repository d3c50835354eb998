"""`unseen sweep`: run the paper's study of omega (resumable), on cores, a cluster or a GPU."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from unseen.cli.cluster import refuse_two_places
from unseen.cli.errors import explain_interruptions, say
from unseen.cli.options import Cluster, Scheduler

if TYPE_CHECKING:
    from unseen.sweep import Executor, SweepResult


def sweep(
    data: Annotated[str, typer.Argument(help="The name of a dataset, or the path of its file or folder.")],
    out: Annotated[Path, typer.Option(help="Folder of the sweep; run again with it to continue.")],
    grid: Annotated[str, typer.Option(help="Values of each omega: exponents of 10 as -5:5, or values as 0.1,1,10.")] = (
        "-5:5"
    ),
    lambda_: Annotated[str, typer.Option("--lambda", help="Weights of the regulariser: 1 or 0.1,1 or -2:2.")] = "1",
    split: Annotated[
        str | None, typer.Option(help="Split that says which classes are unseen (as for load_dataset).")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes on this machine, of one thread each.")] = 1,
    cluster: Cluster = 0,
    scheduler: Scheduler = "",
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="Show the workers of --cluster on a web page of this machine.")
    ] = False,
    device: Annotated[
        str | None,
        typer.Option(help="PyTorch device, such as cuda; with --jobs it is shared by processes (under NVIDIA's MPS)."),
    ] = None,
    dimensions: Annotated[
        int | None,
        typer.Option(
            help="Number of principal components, 0 for no reduction; by default as in the paper, if it has the data."
        ),
    ] = None,
    score_on: Annotated[
        Literal["unseen", "held-out"],
        typer.Option(help="Score on the unseen test classes as the paper's figures do, or on held-out seen classes."),
    ] = "unseen",
    loss: Annotated[str, typer.Option(help="Loss; only soft-maximum can be swept.")] = "soft-maximum",
    temperature: Annotated[float, typer.Option(help="Temperature of the soft maximum.")] = 0.1,
    max_iter: Annotated[int, typer.Option(min=1, help="Maximum number of steps for each problem.")] = 100,
    figure: Annotated[
        bool, typer.Option("--figure", help="Draw figures 3 and 4 of the paper, as SVG and PNG.")
    ] = False,
) -> None:
    """Study omega: learn W at every setting, without constraint and with H positive definite (resumable).

    OUT/results.csv then has two rows for each setting, with accuracy and eigenvalues. This is the paper's study of test
    accuracy over settings, not a way to choose omega. To choose omega, score on held-out classes or use
    `unseen.selection`.
    """
    from unseen.cli.progress import show_progress
    from unseen.data import load_dataset
    from unseen.sweep import parse_values
    from unseen.sweep import sweep as run
    from unseen.utils.errors import InputError
    from unseen.utils.optional import import_optional

    with explain_interruptions(f"Solved problems are stored in {out}; continue with"):
        if loss != "soft-maximum":
            raise InputError(
                f"loss={loss!r} has corners, and a sweep descends by gradients: use soft-maximum (a low --temperature "
                "comes near the maximum), or train single models with JFA(loss='maximum')"
            )
        if figure:
            # Checked now rather than after an hour of solving.
            import_optional("matplotlib", "figures", "--figure")
        executor = _choose_executor(jobs, cluster, scheduler, dashboard)
        with show_progress() as on_progress:
            result = run(
                load_dataset(data, split=split),
                out,
                grid=parse_values(grid, "grid"),
                lambdas=parse_values(lambda_, "lambda", exponents=False),
                executor=executor,
                device=device,
                dimensions=dimensions,
                score_on=score_on,
                temperature=temperature,
                max_iter=max_iter,
                on_progress=on_progress,
            )
        _print_result(result, out, figure)


def _choose_executor(jobs: int, cluster: int, scheduler: str, dashboard: bool) -> "Executor":
    from unseen.sweep import DaskCluster, InProcess, Processes
    from unseen.utils.errors import InputError

    refuse_two_places(cluster, scheduler, jobs=jobs > 1)
    if dashboard and not cluster:
        raise InputError("--dashboard shows the workers that --cluster starts: give --cluster too, or leave it out")
    if cluster or scheduler:
        return DaskCluster(cluster, scheduler, dashboard=dashboard)
    return Processes(jobs) if jobs > 1 else InProcess()


def _print_result(result: "SweepResult", out: Path, figure: bool) -> None:
    from unseen.sweep.observations import table
    from unseen.utils.storage.writing import create_file

    say(
        f"{len(result) // 2:,} settings are {result.solved}; {result.solved_now:,} solved now in "
        f"{result.seconds:.1f} s; {out / 'results.csv'}"
    )
    observations = table(result)
    with create_file(out / "observations.md", force=True) as draft:
        draft.write_text(observations.to_markdown() + "\n", encoding="utf-8")
    print(observations.to_text())
    if figure:
        from unseen.report.figures.sweep import draw

        for path in draw(result, out):
            say(f"drew {path}")
