"""What a failed request to the hub means for the user, in one line."""

from __future__ import annotations

from workflow_scripts.settings.pins import Kind


def access_error(kind: Kind, source_id: str) -> Exception | None:
    """Ask the hub whether this user may read a repository, and return what it answers if not.

    `datasets` drops the hub's own error on the way, so it has to be asked for.
    """
    from huggingface_hub import HfApi

    try:
        HfApi().auth_check(source_id, repo_type=kind.removesuffix("s"))
    except Exception as error:
        return error
    return None


def hub_failure(error: BaseException, kind: Kind, source_id: str) -> str:
    """Return why a request for a repository of the hub failed, and what to do about it.

    Downloads wrap the hub's own errors, so the chain of causes is searched for one.
    """
    from huggingface_hub import constants
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    page = f"{constants.ENDPOINT}/{'datasets/' if kind == 'datasets' else ''}{source_id}"
    causes = _causes(error)
    known = (OfflineModeIsEnabled, HfHubHTTPError)
    match next((cause for cause in causes if isinstance(cause, known)), error):
        case OfflineModeIsEnabled():
            return "HF_HUB_OFFLINE is set. Unset it for this step, or use a local file or folder."
        case GatedRepoError():
            return (
                f"it is gated. Accept its terms at {page}, then give your token: `hf auth login`, or HF_TOKEN in the "
                "environment."
            )
        case RepositoryNotFoundError():
            return "the hub has no such repository, or it is private. Check `id`; for a private one `hf auth login`."
        case RevisionNotFoundError():
            return "the hub does not have this revision. Check `revision`, or config/revisions.lock.yaml."
        case HfHubHTTPError(response=response) if response is not None and response.status_code == 404:
            return f"the hub has no such file in it. Look at {page}."
        case HfHubHTTPError() as answer:
            return f"the hub answered: {_first_line(answer)}. Try again later."
    if any("Connect" in type(cause).__name__ or "Timeout" in type(cause).__name__ for cause in causes):
        return f"{constants.ENDPOINT} cannot be reached. Check the network, or use a local file or folder."
    return f"{_first_line(error)}. Compare the entry with {page}."


def _causes(error: BaseException) -> list[BaseException]:
    found = [error]
    while (cause := found[-1].__cause__ or found[-1].__context__) is not None and cause not in found:
        found.append(cause)
    return found


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0].rstrip(".") if text else type(error).__name__
