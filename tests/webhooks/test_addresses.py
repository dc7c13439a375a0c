"""Which URLs and addresses a webhook may go to."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.targets import forbidden
from webhooks.addresses import ForbiddenTarget, Reason, Target, check_address, check_url


def reason_of(url: str, *, allow_local: bool = False) -> Reason:
    with pytest.raises(ForbiddenTarget) as caught:
        check_url(url, allow_local=allow_local)
    return caught.value.reason


def test_the_list_of_forbidden_spellings_is_long_and_has_no_doubles() -> None:
    urls = forbidden(8000)
    assert len(urls) >= 120
    assert len(set(urls)) == len(urls)


@pytest.mark.parametrize("url", forbidden(8000))
def test_every_forbidden_spelling_is_refused_with_the_one_code(url: str) -> None:
    with pytest.raises(ForbiddenTarget) as caught:
        check_url(url, allow_local=False)
    body = caught.value.body()
    assert body["error_code"] == "WEBHOOK_TARGET_FORBIDDEN"
    assert body["details"] == {"reason": caught.value.reason}
    assert caught.value.status == 422


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://127.0.0.1:8000/", "address"),
        ("https://localhost:8000/", "address"),
        ("https://[::ffff:127.0.0.1]:8000/", "address"),
        ("https://2130706433/", "host"),
        ("https://0x7f.1/", "host"),
        ("https://localhost./", "host"),
        ("https://intranet/", "host"),
        ("https://user@ok.example/", "credentials"),
        ("https://ok.example:22/", "port"),
        ("http://ok.example/", "scheme"),
        ("ftp://ok.example/", "scheme"),
        ("https://ok.example/#part", "malformed"),
    ],
)
def test_a_refusal_says_what_is_wrong(url: str, reason: Reason) -> None:
    assert reason_of(url) == reason


def test_a_refusal_does_not_repeat_the_url() -> None:
    with pytest.raises(ForbiddenTarget) as caught:
        check_url("https://user:hunter2@ok.example/", allow_local=False)
    assert "hunter2" not in str(caught.value.body())


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://ok.example", Target("https", "ok.example", 443, "/", False)),
        ("HTTPS://OK.Example/A?b=c", Target("https", "ok.example", 443, "/A?b=c", False)),
        ("https://ok.example?b=c", Target("https", "ok.example", 443, "/?b=c", False)),
        ("https://ok.example:8443/a/%20@x", Target("https", "ok.example", 8443, "/a/%20@x", False)),
        ("https://xn--bcher-kva.example:80/", Target("https", "xn--bcher-kva.example", 80, "/", False)),
        ("https://127.0.0.1.nip.io/", Target("https", "127.0.0.1.nip.io", 443, "/", False)),
        ("https://8.8.8.8/", Target("https", "8.8.8.8", 443, "/", False)),
        ("https://[2606:4700:0::1111]:65535/", Target("https", "2606:4700::1111", 65535, "/", False)),
    ],
)
@pytest.mark.parametrize("allow_local", [False, True])
def test_public_targets_are_read_into_their_parts(url: str, target: Target, allow_local: bool) -> None:
    assert check_url(url, allow_local=allow_local) == target


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("http://127.8.9.10:8000/", "127.8.9.10"),
        ("http://localhost:8000/", "localhost"),
        ("https://LOCALHOST:8000/", "localhost"),
        ("http://[::1]:8000/", "::1"),
        ("http://[0:0::0:1]:8000/", "::1"),
    ],
)
def test_loopback_is_allowed_when_local_targets_are(url: str, host: str) -> None:
    target = check_url(url, allow_local=True)
    assert (target.host, target.port, target.local) == (host, 8000, True)


def test_local_targets_open_loopback_only_and_only_plainly_written() -> None:
    opened = [url for url in forbidden(8000) if not _refused(url, allow_local=True)]
    assert opened
    assert {check_url(url, allow_local=True).host for url in opened} <= {
        *("localhost", "127.0.0.1", "127.0.0.2", "127.255.255.254", "::1"),
    }


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "198.20.0.1", "2606:4700::1111", "2a00::1"],
)
def test_public_addresses_pass(address: str) -> None:
    check_address(address)
    with pytest.raises(ForbiddenTarget):
        check_address(address, local=True)


@pytest.mark.parametrize(
    "address",
    [
        *("10.0.0.1", "100.64.0.1", "168.63.129.16", "192.88.99.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1"),
        *(
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "fe80::1",
            "fe80::1%eth0",
            "2606:4700::1%eth0",
            "::1%lo",
            "",
            "x",
        ),
    ],
)
@pytest.mark.parametrize("local", [False, True])
def test_other_addresses_are_refused_for_public_and_local_targets(address: str, local: bool) -> None:
    with pytest.raises(ForbiddenTarget):
        check_address(address, local=local)


@given(st.ip_addresses())
@example(ipaddress.ip_address("192.0.0.9"))
def test_nothing_that_python_knows_to_be_private_passes(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if not _refused_address(str(address)):
        assert address.is_global
        assert not (address.is_multicast or address.is_reserved or address.is_loopback or address.is_link_local)


@given(st.ip_addresses(v=4), st.sampled_from(["::ffff:", "::", "64:ff9b::", "64:ff9b:1::"]))
def test_an_address_carried_inside_another_never_passes(inner: ipaddress.IPv4Address, prefix: str) -> None:
    assert _refused_address(f"{prefix}{inner}")


@given(st.ip_addresses(v=4), st.text(alphabet="0123456789.xXabcdefABCDEF", max_size=20))
def test_a_host_of_digits_is_an_address_in_its_one_plain_form_or_refused(
    plain: ipaddress.IPv4Address, odd: str
) -> None:
    for host in (str(plain), f"{odd}.{plain}", f"{odd}.1"):
        url = f"https://{host}/"
        if not _refused(url):
            assert check_url(url, allow_local=False).host == str(ipaddress.IPv4Address(host))


def _refused(url: str, *, allow_local: bool = False) -> bool:
    try:
        check_url(url, allow_local=allow_local)
    except ForbiddenTarget:
        return True
    return False


def _refused_address(address: str) -> bool:
    try:
        check_address(address)
    except ForbiddenTarget:
        return True
    return False
