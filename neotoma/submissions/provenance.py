"""On which build was it seen? The six reporter fields, and the refusal of a report without one."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, field_validator

from neotoma.operations.shapes import WriteParams
from neotoma.submissions.revisions import valid_ref, valid_sha
from neotoma.substrate.errors import Refusal

FIELDS = (
    "reporter_git_sha",
    "reporter_git_ref",
    "reporter_channel",
    "reporter_app_version",
    "reporter_ci_run_id",
    "reporter_patch_source_id",
)
GROUPS = [["reporter_git_sha"], ["reporter_app_version"]]


class ReporterEnvironmentRequired(Refusal):
    """Neither field that names the build was given; nothing is written."""

    error_code: ClassVar[str] = "ERR_REPORTER_ENVIRONMENT_REQUIRED"
    status = 422
    hint = "Add reporter_app_version (e.g. from package metadata) or reporter_git_sha (git rev-parse HEAD) and repeat."

    def __init__(self) -> None:
        super().__init__(
            "A report needs the build it was seen on.",
            details={"acceptable_field_groups": GROUPS, "fields": list(FIELDS)},
        )


class ReporterParams(WriteParams):
    """The reporter's environment; white space alone counts as absent."""

    reporter_git_sha: str | None = Field(
        None, max_length=64, description="Commit tested, from `git rev-parse HEAD`.", examples=["9fceb02d"]
    )
    reporter_git_ref: str | None = Field(None, max_length=255, description="Branch or tag tested.")
    reporter_channel: str | None = Field(None, max_length=60, description="Channel, e.g. stable.")
    reporter_app_version: str | None = Field(None, max_length=60, description="Version tested.", examples=["1.4"])
    reporter_ci_run_id: str | None = Field(None, max_length=120, description="CI run.")
    reporter_patch_source_id: str | None = Field(
        None,
        max_length=120,
        description="Local patch.",
        examples=["src_1"],
    )

    @field_validator(*FIELDS, mode="before")
    @classmethod
    def _blank_is_absent(cls, value: Any) -> Any:
        if isinstance(value, str):
            return value.strip() or None
        return value

    @field_validator("reporter_git_sha")
    @classmethod
    def _sha(cls, value: str | None) -> str | None:
        if value is not None and not valid_sha(value):
            raise ValueError("not a commit id: 7 to 40, or 64, hexadecimal digits")
        return value

    @field_validator("reporter_git_ref")
    @classmethod
    def _ref(cls, value: str | None) -> str | None:
        if value is not None and not valid_ref(value):
            raise ValueError("not a plain branch or tag name")
        return value

    def reporter(self) -> dict[str, str]:
        """The fields that were given."""
        return {name: value for name in FIELDS if (value := getattr(self, name)) is not None}

    def names_build(self) -> bool:
        return self.reporter_git_sha is not None or self.reporter_app_version is not None
