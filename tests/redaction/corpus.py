"""Made-up secrets and look-alikes, put together at run time, so that no scanner takes this file for a leak."""

import json
import random
import re
import string
from dataclasses import dataclass
from pathlib import Path

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"


def made(seed: str, size: int, alphabet: str = ALNUM) -> str:
    """The same random string for the same seed; never without a digit where the alphabet has them."""
    chance = random.Random(seed)
    body = [chance.choice(alphabet) for _ in range(size)]
    for place, kind in enumerate((string.digits, string.ascii_uppercase, string.ascii_lowercase), start=2):
        fitting = [c for c in alphabet if c in kind]
        if fitting and size > 6:
            body[place] = chance.choice(fitting)
    return "".join(body)


@dataclass(frozen=True)
class Row:
    """`text` must lose every string in `gone`, keep every one in `kept`, and stay JSON where it is."""

    text: str
    gone: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    is_json: bool = False


_MADE = re.compile(r"§([ahUub])([0-9]{1,3})§")
_ALPHABETS = {"a": ALNUM, "h": HEX, "U": UPPER, "u": URLSAFE, "b": BASE64}
_CODE = re.compile(r"⟨([0-9a-f]{4})⟩")
_GLYPHS = str.maketrans({"⏎": "\n", "␍": "\r", "⇥": "\t"})


def lines(name: str) -> list[str]:
    """The texts of a file beside this one, marks still in them."""
    content = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [_written(line) for line in content.split("\n") if line and not line.startswith("# ")]


def _written(line: str) -> str:
    filled = _MADE.sub(lambda found: made(line + str(found.start()), int(found[2]), _ALPHABETS[found[1]]), line)
    return _CODE.sub(lambda found: chr(int(found[1], 16)), filled.translate(_GLYPHS))


def unmarked(line: str) -> str:
    return line.replace("«", "").replace("»", "")


def expected(line: str) -> re.Pattern[str]:
    """What the marked line must become. A marker that replaces a bare JSON number comes in quotes."""
    marker = r"(?:\\*\"?(?:\[redacted:[a-z_0-9]+\]|%5Bredacted%3A[a-z_0-9]+%5D)\\*\"?)+"
    outside = re.split("«[^»]*»", line)
    return re.compile(marker.join(re.escape(part) for part in outside), re.DOTALL)


def vendor_tokens() -> dict[str, str]:
    """One token of each family, by a name of the family."""
    m = made
    return {
        "github classic": "gh" + "p_" + m("a", 36),
        "github app": "gh" + "s_" + m("b", 36),
        "github fine": "github_" + "pat_" + m("c", 22) + "_" + m("c2", 59),
        "gitlab": "gl" + "pat-" + m("d", 20, URLSAFE),
        "gitlab long": "gl" + "pat-" + m("d3", 27) + ".01." + m("d4", 9),
        "gitlab deploy": "gl" + "dt-" + m("e", 20, URLSAFE),
        "gitlab runner": "gl" + "rt-" + m("e2", 20, URLSAFE),
        "bitbucket": "ATB" + "B" + m("bb", 32),
        "atlassian": "ATATT" + "3xFf" + m("at", 180, URLSAFE) + "=" + m("at2", 8, "0123456789ABCDEF"),
        "openai": "sk-" + "proj-" + m("f", 48),
        "openai old": "sk-" + m("g", 20) + "T3Blbk" + "FJ" + m("g2", 20),
        "anthropic": "sk-" + "ant-api03-" + m("h", 93, URLSAFE) + "AA",
        "openrouter": "sk-" + "or-v1-" + m("or", 64, HEX),
        "deepseek": "sk-" + m("ds", 32, HEX),
        "huggingface": "hf" + "_" + m("hf", 34, string.ascii_letters),
        "groq": "gs" + "k_" + m("gq", 52),
        "xai": "xa" + "i-" + m("xa", 80),
        "perplexity": "pp" + "lx-" + m("pp", 48),
        "replicate": "r8" + "_" + m("re", 37),
        "nvidia": "nv" + "api-" + m("nv", 64, URLSAFE),
        "pinecone": "pc" + "sk_" + m("pc", 6) + "_" + m("pc2", 60),
        "langsmith": "lsv2" + "_pt_" + m("ls", 32, HEX) + "_" + m("ls2", 10, HEX),
        "aws": "AK" + "IA" + m("aw", 16, UPPER),
        "aws temporary": "AS" + "IA" + m("aw2", 16, UPPER),
        "gcp": "AI" + "za" + m("gc", 35, URLSAFE),
        "google oauth": "ya" + "29." + "a0" + m("ya", 160, URLSAFE),
        "google secret": "GOC" + "SPX-" + m("go", 28, URLSAFE),
        "google refresh": "1/" + "/0" + m("gr", 60, URLSAFE),
        "azure secret": m("az", 3) + "8" + "Q~" + m("az2", 34),
        "azure devops": m("ad", 76) + "AZ" + "DO" + m("ad2", 4),
        "azure storage": m("as", 76, BASE64) + "+A" + "StT" + m("as2", 6) + "==",
        "digitalocean": "dop" + "_v1_" + m("do", 64, HEX),
        "cloudflare": "cf" + "ut_" + m("cf", 48),
        "databricks": "da" + "pi" + m("db", 32, HEX),
        "planetscale": "pscale" + "_tkn_" + m("ps", 43, URLSAFE),
        "supabase": "sb" + "p_" + m("sb", 40, HEX),
        "fly": "fm2" + "_" + m("fl", 120, BASE64),
        "heroku": "HR" + "KU-AA" + m("hk", 58, URLSAFE),
        "netlify": "nf" + "p_" + m("nf", 36),
        "slack bot": "xo" + "xb-" + "123456789012-1234567890123-" + m("sl", 24),
        "slack user": "xo" + "xp-" + "123456789012-123456789012-" + m("sl2", 32, HEX),
        "slack app": "xa" + "pp-1-A0123456789-1234567890123-" + m("sl3", 64, HEX),
        "discord bot": "MT" + m("di", 24) + "." + m("di2", 6) + "." + m("di3", 38, URLSAFE),
        "telegram": "71" + "23456789:AA" + m("tg", 33, URLSAFE),
        "sendgrid": "S" + "G." + m("sg", 22, URLSAFE) + "." + m("sg2", 43, URLSAFE),
        "mailgun": "ke" + "y-" + m("mg", 32, HEX),
        "mailchimp": m("mc", 32, HEX) + "-us" + "21",
        "brevo": "xkey" + "sib-" + m("br", 64, HEX) + "-" + m("br2", 16),
        "twilio": "S" + "K" + m("tw", 32, HEX),
        "stripe": "sk_" + "live_" + m("st", 24),
        "stripe restricted": "rk_" + "test_" + m("st2", 99),
        "shopify": "shp" + "at_" + m("sh", 32, HEX),
        "square": "sq0" + "atp-" + m("sq", 22, URLSAFE),
        "plaid": "access-" + "production-" + "9b2d7f0e-6c1a-4e0b-9d5e-2f6a1c3b4d5e",
        "npm": "np" + "m_" + m("np", 36),
        "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + m("py", 150, URLSAFE),
        "rubygems": "ruby" + "gems_" + m("rg", 48, HEX),
        "crates": "ci" + "o" + m("cr", 32),
        "nuget": "oy" + "2" + m("nu", 43, string.ascii_lowercase + string.digits),
        "docker": "dckr" + "_pat_" + m("dk", 27, URLSAFE),
        "terraform": m("tf", 14) + ".atlas" + "v1." + m("tf2", 67),
        "vault": "hv" + "s." + m("va", 24, URLSAFE) + m("va2", 60),
        "doppler": "dp." + "pt." + m("dp", 43),
        "onepassword": "ops_" + "eyJ" + m("op", 240, BASE64),
        "age": "AGE-SECRET-" + "KEY-1" + m("ag", 58, string.ascii_uppercase + "023456789"),
        "notion": "nt" + "n_" + m("no", 46),
        "linear": "lin" + "_api_" + m("li", 40),
        "figma": "fig" + "d_" + m("fg", 40, URLSAFE),
        "hubspot": "pat-" + "na1-" + "9b2d7f0e-6c1a-4e0b-9d5e-2f6a1c3b4d5e",
        "postman": "PM" + "AK-" + m("pm", 24, HEX) + "-" + m("pm2", 34, HEX),
        "airtable": "pa" + "t" + m("ai", 14) + "." + m("ai2", 64, HEX),
        "grafana": "gl" + "sa_" + m("gf", 32) + "_" + m("gf2", 8, HEX),
        "newrelic": "NR" + "AK-" + m("nr", 27, string.ascii_uppercase + string.digits),
        "sentry": "sntry" + "s_" + m("se", 120, BASE64),
        "posthog": "ph" + "x_" + m("ph", 43),
        "tailscale": "ts" + "key-auth-" + m("ts", 12) + "CNTRL-" + m("ts2", 32),
        "pulumi": "pu" + "l-" + m("pu", 40, HEX),
        "sonar": "sq" + "u_" + m("so", 40, HEX),
        "buildkite": "bk" + "ua_" + m("bk", 40, HEX),
        "facebook": "EA" + "A" + m("fb", 180),
        "guest": "gs" + "t_" + m("gu", 43, URLSAFE),
        "own api": "nt" + "k_" + m("nt", 43, URLSAFE),
        "webhook": "wh" + "sec_" + m("wh", 44, BASE64),
    }


def jwt(seed: str = "jwt") -> str:
    head = "ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    return f"{head}.ey" + "J" + made(seed, 60, URLSAFE) + "." + made(seed + "s", 43, URLSAFE)


def pem(label: str = "RSA PRIVATE KEY", lines: int = 4) -> tuple[str, tuple[str, ...]]:
    """A block, and its lines."""
    body = tuple(made(label + str(i), 64, BASE64) for i in range(lines))
    return "\n".join((f"-----BEGIN {label}-----", *body, f"-----END {label}-----")), body


def secret(seed: str, size: int = 20) -> str:
    return made("secret" + seed, size)


def vendor_rows(name: str, token: str) -> list[Row]:
    return [
        Row(f"the {name} call failed with {token}.\nnext line", (token,), ("call failed with", "next line")),
        Row(f'{{"note": "seen {token}", "n": 1}}', (token,), ('"n": 1',), True),
        Row(f"https://ci.internal/next?ref={token}&job=9", (token,), ("https://ci.internal/next?ref=", "&job=9")),
        Row(json.dumps({"log": f"line\n{token}\nmore"}), (token,), ("line", "more"), True),
    ]


def structured_rows() -> list[Row]:
    token, (block, lines) = jwt(), pem()
    open_ssh, ssh_lines = pem("OPENSSH PRIVATE KEY", 6)
    pgp_lines = (made("pgp", 64, BASE64), made("pgp2", 30, BASE64))
    pgp = "\n".join(
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----",
            "Version: GnuPG v2\n",
            *pgp_lines,
            "=aB3d",
            "-----END PGP PRIVATE KEY BLOCK-----",
        )
    )
    wrapped = "\n".join(token[i : i + 60] for i in range(0, len(token), 60))
    dotted = token.replace(".", ".\n")
    pieces = tuple(token[i : i + 60] for i in range(0, len(token), 60))
    return [
        Row(f"got {token} back", (token,), ("got", "back")),
        Row(f"got {token}.", (token,), ("got",)),
        Row(f"token:\n{wrapped}\nand then 401 Unauthorized", pieces, ("and then 401 Unauthorized",)),
        Row(f"token:\n{dotted}\nHTTP/1.1 401", tuple(token.split(".")), ("HTTP/1.1 401",)),
        Row(json.dumps({"m": f"x\n{wrapped}\nend here"}), pieces, ("end here",), True),
        Row(json.dumps({"id_token": token, "expires_in": 3600}), (token,), ("3600",), True),
        Row(f"cut: {token.rsplit('.', 1)[0]}...", (token.rsplit(".", 1)[0],), ("cut:",)),
        Row(f"key\n{block}\nafter", lines, ("key", "after")),
        Row(f"key\n{open_ssh}\nafter", ssh_lines, ("key", "after")),
        Row(f"{pgp}\nthanks", pgp_lines, ("thanks",)),
        Row(json.dumps({"private_key": block + "\n", "client_id": "x1"}), lines, ("client_id", "x1"), True),
        Row(json.dumps({"a": json.dumps({"k": block})}), lines, (), True),
        Row(json.dumps({"lines": block.split("\n"), "n": 2}), lines, ('"n": 2',), True),
        Row("\n".join("    " + line for line in block.split("\n")) + "\nother: 1", lines, ("other: 1",)),
        Row("\n".join("> " + line for line in block.split("\n")) + "\n> thanks", lines, ("thanks",)),
        Row(block.rsplit("\n", 1)[0] + "\n[log truncated]", lines, ("[log truncated]",)),
        Row(block[: len(block) // 2], (lines[0],), ()),
        Row("tail of log:\n" + block.split("\n", 2)[2], lines[1:], ("tail of log:",)),
        Row(f'KEY="{block}"\nPORT=80', lines, ("PORT=80",)),
        Row('KEY="' + block.replace("\n", "\\n") + '"\nPORT=80', lines, ("PORT=80",)),
    ]


SECRET_NAMES = (
    "password",
    "DB_PASSWORD",
    "apiKey",
    "api_key",
    "client_secret",
    "accessToken",
    "AUTH_TOKEN",
    "SMTP_PASS",
)


def assignment_rows(name: str) -> list[Row]:
    s = secret(name)
    return [
        Row(f"{name}={s}\nPORT=80", (s,), (f"{name}=", "PORT=80")),
        Row(f"export {name}='{s}'", (s,), (f"export {name}=",)),
        Row(f"{name}: {s}\nretries: 3", (s,), (f"{name}:", "retries: 3")),
        Row(f'  {name}: "{s}"', (s,), (name,)),
        Row(f'{{"{name}": "{s}", "n": 3}}', (s,), (f'"{name}"', '"n": 3'), True),
        Row(json.dumps({"body": json.dumps({name: s, "n": 3})}), (s,), (name,), True),
        Row(f"const {name} = '{s}';", (s,), ("const",)),
        Row(f"{name} => '{s}',", (s,), (name,)),
        Row(f"<{name}>{s}</{name}>", (s,), (f"<{name}>", f"</{name}>")),
        Row(f"run --{name} {s} --verbose", (s,), (f"--{name}", "--verbose")),
        Row(f"run --{name}={s} --verbose", (s,), (f"--{name}=", "--verbose")),
        Row(f"https://h.internal/cb?{name}={s}&page=2", (s,), ("page=2", "h.internal/cb")),
        Row(f"https://h.internal/cb#{name}={s}&state=ok", (s,), ("state=ok",)),
        Row(f"os.environ['{name}'] = '{s}'", (s,), ("os.environ",)),
        Row(f'[["accept", "*/*"], ["{name}", "{s}"]]', (s,), ('["accept", "*/*"]',), True),
        Row(f"docker run -e {name}={s} -p 80:80 app:1.2", (s,), ("-p 80:80 app:1.2",)),
    ]  # fmt: skip
