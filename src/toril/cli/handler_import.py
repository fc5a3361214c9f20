"""Find the handler that the command line names: `module:function`."""

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import click

from toril.cli.exit_codes import ExitCode

Handler: TypeAlias = Callable[..., object]


class HandlerImportError(click.ClickException):
    """The handler cannot be imported; said in one line, with what was probably meant."""

    exit_code = ExitCode.IMPORT


def import_handler(path: str) -> Handler:
    """The function at `module:function`; the current folder is looked in first.

    Raises:
        HandlerImportError: it is not there, or its module fails, or it is not callable.
    """
    module_name, colon, attribute = path.partition(":")
    if not (module_name and colon and attribute):
        raise HandlerImportError(f"{path!r} is not of the form module:handler")
    handler: object = _import_module(module_name)
    for name in attribute.split("."):
        if not hasattr(handler, name):
            guess = _did_you_mean(name, dir(handler))
            raise HandlerImportError(f"{module_name} has no {attribute!r}{guess}")
        handler = getattr(handler, name)
    if not callable(handler):
        raise HandlerImportError(f"{path} is not a function but of type {type(handler).__name__}")
    return handler


def _import_module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise HandlerImportError(f"{name} cannot be imported: {_where(error)}") from error
        guess = _did_you_mean(name, (module.name for module in pkgutil.iter_modules([here])))
        raise HandlerImportError(f"there is no module {name!r} here{guess}") from error
    except Exception as error:
        raise HandlerImportError(f"{name} cannot be imported: {_where(error)}") from error


def _where(error: Exception) -> str:
    """The error in one line, with the place in the user's code that raised it."""
    [*_, said] = traceback.format_exception_only(error)
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if "importlib" not in frame.filename]
    place = f" ({theirs[-1].filename}:{theirs[-1].lineno})" if len(theirs) > 1 else ""
    return f"{' '.join(said.split())}{place}"


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
