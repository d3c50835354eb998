"""`unseen serve`: answer requests over HTTP."""

from typing import Annotated

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, say
from unseen.cli.options import (
    Candidates,
    Delimiter,
    EncoderDevice,
    EncoderWeights,
    Fill,
    Host,
    LabelColumn,
    ModelArgument,
    Port,
    Sheet,
    Token,
)
from unseen.cli.serving import prepare_access


def serve(
    model: ModelArgument,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    token: Token = None,
    classes: Candidates = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    weights: EncoderWeights = None,
    device: EncoderDevice = "cpu",
    max_megabytes: Annotated[int, typer.Option(min=1, help="Largest body of a request, in MiB.")] = 16,
    max_rows: Annotated[int, typer.Option(min=1, help="Largest number of rows in a request.")] = 10_000,
    max_candidates: Annotated[int, typer.Option(min=1, help="Largest number of candidates in a request.")] = 10_000,
    max_requests: Annotated[int, typer.Option(min=1, help="Largest number of requests answered at one time.")] = 64,
    seconds: Annotated[float, typer.Option(min=0.1, help="Longest time to answer a request.")] = 30.0,
) -> None:
    """Answer requests over HTTP: predict, explain, candidates, health, metrics and an OpenAPI description.

    Examples: `unseen serve birds.unseen`, `unseen serve birds.unseen --classes new.csv --port 9000`
    """
    with explain_errors():
        access = prepare_access(host, token, "serving a model")
        from unseen.server import Limits, Server, Service, make_app, open_socket
        from unseen.server.limits import MiB
        from unseen.server.running import write_address

        limits = Limits(
            body=max_megabytes * MiB,
            rows=max_rows,
            candidates=max_candidates,
            concurrency=max_requests,
            connections=4 * max_requests,
            seconds=seconds,
        )
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        service = Service(model, described, weights=weights, device=device, limits=limits)
        listening = open_socket(host, port)

    if service.file.encoder is not None and service.without_pictures is not None:
        say(f"Pictures are not taken: {service.without_pictures}")
    address = write_address(listening)
    known = f"{service.name}, {service.file.model.n_features_in_:,} features"
    asked = f"{len(service.candidates.default.table):,} candidates"
    started = f"Serving {model} ({known}, {asked}) at {address}, described at {address}/openapi.json. Ctrl+C stops it."
    Server(make_app(service, access), listening, limits, lambda: say(started)).run()
    say("Stopped: every request that had begun was answered.")
