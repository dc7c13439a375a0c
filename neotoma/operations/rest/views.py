"""One view a path: it translates, calls the operation once, and translates back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import IO, Any, NoReturn, cast

from django.http import HttpResponse
from rest_framework.authentication import BaseAuthentication
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.views import APIView

from neotoma.access.limits import SPENT
from neotoma.access.principals import Principal
from neotoma.operations.door import admit
from neotoma.operations.invoke import Caller, run
from neotoma.operations.json import MAX_BYTES, decode
from neotoma.operations.registry import Operation
from neotoma.operations.remote import remote_address
from neotoma.operations.rest import binding, errors, responses
from neotoma.substrate.errors import NotFound


class Bearer(BaseAuthentication):
    """The principal of the Authorization header; what is presented and does not count is a 401."""

    def authenticate(self, request: Request) -> tuple[None, Principal]:
        inner = request._request
        credential, request_id = request.headers.get("Authorization"), errors.request_id_of(inner)
        return None, admit(credential, surface="rest", request_id=request_id, address=remote_address(inner))


class StrictJson(BaseParser):
    """JSON without NaN, infinities, lone surrogates and NUL, of bounded size."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return decode(stream.read(MAX_BYTES + 1))


class ApiView(APIView):
    """What every path under /api/ shares: who calls, what is read, and how errors look."""

    authentication_classes = [Bearer]
    parser_classes = [StrictJson]
    metadata_class = None
    http_method_names = ["get", "head", "post", "patch", "delete"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            # Django reads as much as Content-Length says: without one, a body would be taken for none.
            raise errors.LengthRequired("The body comes without a Content-Length.")

    def http_method_not_allowed(self, request: Any, *args: object, **kwargs: object) -> NoReturn:
        allow = self.allowed_methods
        raise errors.MethodNotAllowed(
            f"This path takes {', '.join(allow)}.", hint="Use a method of `details.allow`.", details={"allow": allow}
        )

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], HttpResponse]:
        return lambda error, context: errors.respond(error, context["request"]._request)


class OperationView(ApiView):
    """The operations at one path, by method."""

    by_method: Mapping[str, Operation] = {}

    def answer(self, request: Request, **path: str) -> HttpResponse:
        op = self._operation(request)
        arguments = binding.arguments(
            op,
            path=path,
            query=dict(request.query_params.lists()),
            body=request.data if request.method not in ("GET", "HEAD") else {},
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        inner = request._request
        caller = Caller(cast(Principal, request.auth), "rest", errors.request_id_of(inner), remote_address(inner))
        SPENT.set(None)
        result = run(op, arguments, caller)
        if op.effect == "read":
            response = responses.tagged(responses.encode(result), request.headers.get("If-None-Match"))
        else:
            response = responses.plain(result, op.status)
        return responses.counted(response, SPENT.get())

    get = post = patch = delete = answer

    def _operation(self, request: Request) -> Operation:
        op = self.by_method.get("GET" if request.method == "HEAD" else request.method or "")
        if op is None:
            self.http_method_not_allowed(request)
        return op

    @property
    def allowed_methods(self) -> list[str]:
        return sorted(self.by_method)


class Unmapped(ApiView):
    """Any other path under /api/: the same shape of refusal instead of a page."""

    http_method_names = [*ApiView.http_method_names, "put"]

    def answer(self, request: Request, **path: str) -> HttpResponse:
        raise NotFound("There is nothing at this path.", hint="The paths are listed at /api/openapi.json.")

    get = post = put = patch = delete = answer
