"""The command that builds the input of a step, explains it, or compares what each strategy would keep. Exit 1 when there is no input."""

from argparse import Namespace

import orjson

from api.cli.checking import read_json
from api.cli.output import Output
from api.errors import EXIT_DONE, EXIT_NO, WrongUse
from api.presenters import plain
from api.projecting import compare_step, project_step
from api.settings import read_settings
from projector import Projected, compared_json, compared_text, explain_json, explain_text, outcome_json


def run_project(arguments: Namespace, output: Output) -> int:
    if arguments.compare:
        return _run_compare(arguments, output)
    outcome = project_step(read_json(arguments.step), read_settings(arguments.store))
    if arguments.explain:
        output.value(plain(outcome_json(outcome) | {"explain": explain_json(outcome)}), explain_text(outcome))
    else:
        output.bytes(orjson.dumps(outcome_json(outcome), option=0 if output.json else orjson.OPT_INDENT_2) + b"\n")
    return EXIT_DONE if isinstance(outcome, Projected) else EXIT_NO


def _run_compare(arguments: Namespace, output: Output) -> int:
    if arguments.explain:
        raise WrongUse("give one of --explain and --compare")
    found = compare_step(read_json(arguments.step), read_settings(arguments.store))
    output.value(plain({"strategies": compared_json(found)}), compared_text(found))
    return EXIT_DONE if any(isinstance(one.outcome, Projected) for one in found) else EXIT_NO
