"""The mixins that every page stands on: nothing is written here but through a button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast
from uuid import uuid4

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse

from neotoma.adminsite.desk import Desk
from neotoma.adminsite.names import named
from neotoma.adminsite.paging import CappedPaginator
from neotoma.substrate.actors import Audience
from neotoma.substrate.errors import InvalidInput, Refusal

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Model]
else:
    Base = admin.ModelAdmin

Arguments = Callable[[Any, QueryDict], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Button:
    """What a page offers to do. `press` does it for a row and what was typed; refuses by `Refusal`.

    `form`: template of its fields, if it has any. `tone`: good, bad or plain. `said`: the sentence afterwards.
    `typed`: what was entered when it was refused, so that nothing has to be typed again.
    """

    name: str
    label: str
    said: str
    press: Callable[[HttpRequest, Any, QueryDict], object]
    tone: str = "plain"
    form: str = ""
    hint: str = ""
    typed: QueryDict | None = None


def told(refusal: Refusal) -> str:
    """A refusal for a person: what is wrong, field by field; the names of all parameters are for programs."""
    if not isinstance(refusal, InvalidInput) or not refusal.details.get("fields"):
        return " ".join(filter(None, (refusal.message, refusal.hint)))
    problems = [
        (field["path"].replace("_", " "), field["problem"].removeprefix("Value error, "))
        for field in refusal.details["fields"]
    ]
    text = "; ".join(problem if path == "arguments" else f"{path}: {problem}" for path, problem in problems)
    return f"{text[:1].upper()}{text[1:]}."


class ReadOnly(Base):
    """A list and a page that show rows to staff with any of `scopes`, as far as each may see them."""

    scopes: ClassVar[tuple[str, ...]] = ("maintain",)
    list_defer: ClassVar[tuple[str, ...]] = ()
    """Columns that no row of the list shows: documents that would be read for nothing."""
    actions = None
    list_per_page = 50
    list_max_show_all = 0
    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    @property
    def desk(self) -> Desk:
        return cast(Desk, self.admin_site)

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        """The rows that this audience may see; overridden where not all of them are for all."""
        return rows

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = self.visible(super().get_queryset(request), self.desk.audience(request))
        at_list = request.resolver_match is not None and str(request.resolver_match.url_name).endswith("_changelist")
        return rows.defer(*self.list_defer) if at_list else rows

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = named(self.opts)[1]
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.desk.has(request, *self.scopes)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.desk.has(request, *self.scopes)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class Page(ReadOnly):
    """A row on a page of its own design. `page_template` shows it, `facts` gathers what it shows."""

    page_template: ClassVar[str]

    def facts(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        return {}

    def buttons(self, request: HttpRequest, row: Any) -> list[Button]:
        """What this user may do with this row now."""
        return []

    def subtitle(self, row: Any) -> str:
        return str(row)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = self._row(request, object_id)
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined,no-any-return]
        refused: Button | None = None
        if request.method == "POST":
            refused = self._press(request, row)
            if refused is None:
                return HttpResponseRedirect(request.path)
            row = self._row(request, object_id) or row
        buttons = [refused if refused and refused.name == one.name else one for one in self.buttons(request, row)]
        return TemplateResponse(request, self.page_template, self._context(request, row, buttons, extra_context))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's own log knows nothing of these rows; their page holds their trail."""
        return HttpResponseRedirect("../change/")

    def _row(self, request: HttpRequest, object_id: str) -> Model | None:
        """By its id as it is, or as the admin writes ids in its own links: `ent_40…` must not be read as `ent@…`."""
        return self.get_object(request, object_id) or self.get_object(request, unquote(object_id))

    def operation(self, request: HttpRequest, name: str, arguments: Arguments, **shown: Any) -> list[Button]:
        """The button of an operation, or none when this user could not call it."""
        if not self.desk.may(request, name):
            return []

        def press(request: HttpRequest, row: Any, typed: QueryDict) -> object:
            key = {"idempotency_key": typed["key"]} if typed.get("key") else {}
            return self.desk.call(request, name, {**arguments(row, typed), **key})

        return [Button(name=name, press=press, **shown)]

    def _press(self, request: HttpRequest, row: Any) -> Button | None:
        """None when it is done and said; else the button again, with what was typed, and the refusal said."""
        pressed = next((one for one in self.buttons(request, row) if one.name == request.POST.get("button")), None)
        if pressed is None:
            messages.warning(request, "That is not possible any more: the page shows how things stand now.")
            return None
        try:
            pressed.press(request, row, request.POST)
        except Refusal as refusal:
            messages.error(request, told(refusal))
            return replace(pressed, typed=request.POST)
        messages.success(request, pressed.said)
        return None

    def _context(
        self, request: HttpRequest, row: Any, buttons: list[Button], more: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": row,
            "row": row,
            "title": named(self.opts)[0],
            "titles": named(self.opts)[1],
            "subtitle": self.subtitle(row),
            "has_view_permission": True,
            "buttons": buttons,
            "key": uuid4().hex,
            **self.facts(request, row),
            **(more or {}),
        }
