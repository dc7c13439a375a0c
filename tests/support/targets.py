"""URLs that no webhook may be sent to while local targets are off; `{port}` is where a listener waits on loopback."""

from __future__ import annotations

_HOSTS_BY_KIND = {
    "loopback": "127.0.0.1 127.0.0.2 127.255.255.254 127.1 127.0.1 127.00.00.01 127.0.0.01 127.0.0.1. 0127.0.0.1",
    "loopback in octal, hex and decimal": "0177.0.0.1 0177.0.0.01 0177.1 017700000001 0x7f.0.0.1 0x7f.1 0x7f000001 "
    "0x7F.0x0.0x0.0x1 0X7F000001 2130706433 2130706433.",
    "unspecified": "0 0.0.0.0 0.0.0.1 00.0.0.0 0x0 0x",
    "private": "10.0.0.1 10.255.255.255 10.1 0xa.0.0.1 167772161 172.16.0.1 172.31.255.254 192.168.0.1 192.168.1 "
    "3232235777 100.64.0.1 100.100.100.200 100.127.255.254",
    "link-local and metadata": "169.254.169.254 169.254.170.2 169.254.0.1 2852039166 0xa9fea9fe 0251.0376.0251.0376 "
    "0xA9.0xFE.0xA9.0xFE 169.254.43518 168.63.129.16 192.0.0.192",
    "reserved": "192.0.0.1 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.19.255.254 "
    "198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255",
    "not an IPv4 address": "256.0.0.1 1.2.3 1.2.3.4.5 8.8.8.8.",
    "IPv6 loopback": "[::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::] [::0] [0::0]",
    "mapped": "[::ffff:127.0.0.1] [::FFFF:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:0001] [::ffff:10.0.0.1] "
    "[::ffff:0:127.0.0.1] [::ffff:169.254.169.254] [::ffff:8.8.8.8]",
    "compatible": "[::127.0.0.1] [::7f00:1] [::8.8.8.8]",
    "NAT64": "[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::8.8.8.8] [64:ff9b:1::7f00:1] [64:ff9b::a9fe:a9fe]",
    "6to4": "[2002:7f00:1::] [2002:7f00:1::1] [2002:a9fe:a9fe::] [2002:0808:0808::1]",
    "Teredo and other assignments": "[2001::1] [2001:0:4136:e378:8000:63bf:80ff:fffe] [2001:2::1] [2001:10::1] "
    "[2001:20::1] [2001:db8::1] [2620:4f:8000::1] [3fff::1] [5f00::1] [100::1]",
    "unique local, link-local, multicast": "[fc00::1] [fd00:ec2::254] [fd12:3456::1] [fe80::1] [fe80::1%25lo] "
    "[fe80::1%lo] [::1%25lo] [fec0::1] [ff02::1] [ff0e::1] [4000::1] [e000::1]",
    "not an IPv6 address": "[::1 ::1] [] [127.0.0.1] [localhost] [::g] [1:2:3:4:5:6:7] [::1]. [[::1]]",
    "inner names": "localhost LOCALHOST LocalHost localhost. localhost.. .localhost a.localhost localhost.localdomain "
    "a.localdomain ip6-localhost ip6-loopback printer router.local metadata.google.internal metadata "
    "metadata.internal. nas.home.arpa",
    "percent-encoded": "%6c%6f%63%61%6c%68%6f%73%74 127.0.0.%31 %31%32%37.0.0.1 127%2e0%2e0%2e1 localhost%2f "
    "localhost%00.ok.example",
    "not ASCII": "\uff11\uff12\uff17.0.0.1 127\uff0e0\uff0e0\uff0e1 127\u30020\u30020\u30021 \u24dbocalhost "
    "\u2460\u2461\u2466.0.0.1 l\u00f3.example ok\u00ad.example 127.0.0.1\u200b",
    "malformed names": "-a.example a-.example a..example .ok.example ok.example. ok_under.example ok.123 ok.0x7f",
}

_LONG_HOSTS = ["a" * 64 + ".example", ".".join(["a" * 60] * 5)]

_WHOLE = [
    "http://ok.example/",
    "http://8.8.8.8/",
    "http://[2606:4700::1111]/",
    "ftp://ok.example/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "javascript://127.0.0.1/",
    "ws://127.0.0.1:{port}/",
    "https:127.0.0.1",
    "https:/127.0.0.1:{port}/",
    "https:///127.0.0.1:{port}/",
    "https:////127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "127.0.0.1:{port}",
    "",
    "https://",
    "https://:{port}/",
    "https://?",
    "https://user@ok.example/",
    "https://user:word@ok.example/",
    "https://@ok.example/",
    "https://:@ok.example/",
    "https://ok.example@127.0.0.1:{port}/",
    "https://ok.example:443@127.0.0.1:{port}/",
    "https://127.0.0.1:{port}@ok.example/",
    "http://a@127.0.0.1#@ok.example/",
    "https://a@127.0.0.1:{port}#@ok.example/",
    "https://127.0.0.1:{port}#.ok.example/",
    "https://127.0.0.1:{port}\\@ok.example/",
    "https://ok.example\\@127.0.0.1:{port}/",
    "https:\\\\127.0.0.1:{port}\\",
    "https://ok.example/#here",
    "https://ok.example/a b",
    "https://ok.example/\u00e9",
    "https://ok.example/%zz",
    " https://ok.example/",
    "https://ok.example/ ",
    "https://ok.example/\n",
    "https://ok.example/\r\nX-Evil: 1",
    "https://ok.example/\t",
    "https://ok.exa\tmple/",
    "https://ok.example\n/",
    "https://ok.example\x00/",
    "\x01https://ok.example/",
    "https://ok.example/\x7f",
    "ht\ntps://ok.example/",
    "https://ok.example:/",
    "https://ok.example:0/",
    "https://ok.example:22/",
    "https://ok.example:25/",
    "https://ok.example:1023/",
    "https://ok.example:0443/",
    "https://ok.example:+443/",
    "https://ok.example:65536/",
    "https://ok.example:99999999/",
    "https://ok.example:443:443/",
    "https://ok.example:https/",
    "https://ok.example:\u0664\u0664\u0663/",
    "https://::1/",
    "https://::1:{port}/",
    "https://2606:4700::1111/",
    "https://ok.example,127.0.0.1:{port}/",
    "https://ok.example;127.0.0.1:{port}/",
    "https://ok.example&127.0.0.1/",
    "https://ok.example/" + "a" * 2048,
]

_AT_PORT = [
    f"{scheme}://{host}:{{port}}/"
    for scheme in ("https", "http")
    for hosts in _HOSTS_BY_KIND.values()
    for host in hosts.split()
]

FORBIDDEN = [*_AT_PORT, *(f"https://{host}/" for host in _LONG_HOSTS), *_WHOLE]


def forbidden(port: int) -> list[str]:
    """Every spelling, aimed at a listener on this loopback port."""
    return [url.replace("{port}", str(port)) for url in FORBIDDEN]
