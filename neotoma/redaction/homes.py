"""The user's segment in home paths of Linux, macOS and Windows; the rest of the path stays. Service accounts stay."""

import re
from collections.abc import Iterator

from neotoma.redaction import shapes
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_SEGMENT = r"[^\s/\\\"'`<>|:;,*?$&#(){}\[\]=!]{1,64}+"
_SPACED = r"[^\W_][\w.\-]{0,40}(?: [\w.\-]{1,40}){1,3}(?=[\\/])"
_TOPS = tuple(
    re.compile(rf"{top}(?P<sep>[\\/]{{1,8}}+)(?P<user>{_SPACED}|{_SEGMENT})")
    for top in ("home", "users", "documents and settings")
)
# Agents name a project's folder after its path, with hyphens: -Users-name-work-app
_DASHED = re.compile(
    r"(?:(?<=[\\/\s\"'`=])|\A)(?:[A-Za-z]-)?-(?:Users|home)-(?P<user>[^\W_][\w.]{0,40})(?=[\-/\\\s\"'`]|\Z)"
)
# Only with more of a path behind it: `~half/day` is a measure.
_TILDE = re.compile(r"~(?<![^\s\"'`=:(,]~)(?P<user>[a-z][a-z0-9._\-]{2,31})/(?=[\w.\-]{1,60}(?:/|\.\w)|\.\w)")
# Where Linux mounts what is plugged in: by user, then by the label of the disk. A web site's media have other names
# and no label; those of /run are never a web site's.
_MEDIA = re.compile(
    r"(?:(?<![\w.~\-/\\])|(?<=file://))(?:/run/media/(?P<run>[a-z_][a-z0-9._\-]{1,31}+)(?=/)"
    r"|/media/(?P<user>[a-z_][a-z0-9._\-]{1,31}+)(?=/[A-Z0-9][\w \-]{2,40}(?:[/\s\"'`),;:]|\Z)))"
)
_MEDIA_FOLDERS = words(
    """archive archives assets attachments audio avatars backup backups books cache cdrom covers css data disk disks
    docs documents downloads dvd ebooks external files floppy fonts games hdd icons images img imports js library media
    movies mp3 music nas pdf photos photoblog pictures podcasts posters previews products profile profiles raid series
    share shows static storage thumbnails thumbs tmp tv upload uploads usb usb0 usb1 video videos"""
)
_ROOT = re.compile(
    r"(?:(?:^|[^\w.~\-/])(?:/(?:var|export|mnt|net|host|rootfs|private/var|data|system|srv|nfs|usr|host_mnt|run/host|home"
    r"|(?:(?:mnt|cygdrive|host_mnt)/)?[a-z])|[a-z]:)|-v)$"
)
_VOLUME = re.compile(r"/volumes/[\w .\-]{1,24}$")
_REMOTE = re.compile(r"(?:vscode-remote|sftp|ssh|scp|smb|rsync|nfs|fish)://[^\s/]{0,60}$")
_DRIVE = re.compile(r"(?<![a-z])[a-z]:$")
_METHOD = re.compile(
    r"(?:(?:get|post|put|patch|delete|head|options)[ \"']{1,2}|(?<!\w)(?:href|action|to)=\\{0,7}[\"']?)/$"
)
_PAGE = re.compile(r"[\w\-]{1,60}\.(?:html?|php|aspx?|jsp|css|js|json|xml|png|svg|ico)")
_SERVICE = words(
    """.ecryptfs .linuxbrew actions admin administrator agent airflow all apache api app appuser appveyor azureuser
    bamboo bitrise bot build buildbot builder buildkite buildkite-agent celery centos ci circleci cloud-user coder
    codespace codespaces concourse conda containeradministrator containeruser core daemon debian default
    default.migrated deploy dev devcontainer developer distiller django docker drone ec2-user elasticsearch
    example fedora git github gitlab-runner gitpod go guest hadoop home janedoe jenkins johndoe jovyan kafka
    kbuilder linuxbrew lost+found mambauser me mysql name nextjs nginx nobody node nonroot op opc oracle perl pi
    postgres project public python redis root ruby runner runneradmin rust rust-build sandbox semaphore server
    service shared somebody someone spark steam system teamcity test tomcat travis ubuntu user username users
    vagrant vscode vsts vsts_azpipelines web webapp worker workspace www-data you your-name your-user your_name
    yourname youruser"""
)


@shown_by("home", "sers", "settings")
def find(view: View) -> Iterator[Span]:
    for pattern in _TOPS:
        for found in pattern.finditer(view.lower):
            if _is_home(view.lower, found):
                yield from _user(view.text, *found.span("user"))
    for found in _DASHED.finditer(view.text) if "-home-" in view.lower or "-users-" in view.lower else ():
        yield from _user(view.text, *found.span("user"))


@shown_by("~")
def find_tilde(view: View) -> Iterator[Span]:
    for found in _TILDE.finditer(view.text):
        yield from _user(view.text, *found.span("user"))


@shown_by("/media/")
def find_media(view: View) -> Iterator[Span]:
    for found in _MEDIA.finditer(view.text):
        named = "run" if found["run"] else "user"
        routed = _METHOD.search(view.lower, max(0, found.start() - 12), found.start() + 1)
        if named == "run" or not (routed or found["user"] in _MEDIA_FOLDERS):
            yield from _user(view.text, *found.span(named))


def _is_home(lower: str, found: re.Match[str]) -> bool:
    """A file system's home, not a route of a web site such as https://host/home/feed."""
    start = found.start()
    lead = lower[max(0, start - 8) : start].rstrip("/\\")
    slash = start - min(start, 8) + len(lead)
    if slash == start:
        return False
    is_home = found.group().startswith("home")
    if "\\" in lower[slash:start].replace("\\/", "") or (_DRIVE.search(lead) and not is_home):
        return not is_home or "\\wsl" in lower[max(0, slash - 40) : slash]
    if not is_home and (found["user"].isdecimal() or shapes.identifier(found["user"])):
        return False
    if lead[-1:].isalnum() or lead[-1:] in ("_", ".", "~", "-"):
        return _is_mounted(lower, slash)
    return not _METHOD.search(lower, max(0, start - 12), start) and not _PAGE.fullmatch(found["user"])


def _is_mounted(lower: str, slash: int) -> bool:
    """Directories and hosts under which homes lie too, such as /var/home or sftp://host/home."""
    if _ROOT.search(lower, max(0, slash - 14), slash):
        return True
    before = lower[max(0, slash - 80) : slash]
    return ("://" in before and bool(_REMOTE.search(before))) or (
        "/volumes/" in before and bool(_VOLUME.search(before))
    )


def _user(text: str, start: int, end: int) -> Iterator[Span]:
    user = text[start:end].rstrip(".")
    if not any(c.isalnum() for c in user) or user.lower() in _SERVICE or shapes.placeholder(user):
        return
    if not (user[0] == "%" and user[-1] == "%"):
        yield Span(start, start + len(user), "home_user")
