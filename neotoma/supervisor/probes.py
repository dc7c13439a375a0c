"""Whether the web server answers yet."""

import http.client


def web_answers(host: str, port: int) -> bool:
    """Whether /healthz answers 200 on the address that the server listens on."""
    connection = http.client.HTTPConnection(_reachable(host), port, timeout=2)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  (compared with, not bound to)
