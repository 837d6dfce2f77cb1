"""Saved pages as browsers and archivers write them, made from an address and a text."""

import base64
import gzip
import io
import json
import plistlib
import quopri
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

PROSE = "The miller opens the gate when the tide has turned, and the wheel begins to move. "


def page(text: str, title: str = "Tide mills", head: str = "") -> str:
    """A page whose main content is the text, long enough to be one."""
    paragraphs = f"<p>{text}</p><p>{PROSE * 4}</p>"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head>\n'
        f"<body><main><h1>{title}</h1>{paragraphs}</main></body></html>\n"
    )


def single_file(url: str, text: str, date: str = "Sat Nov 28 2026 10:00:00 GMT+0100 (CET)") -> bytes:
    comment = f"<!--\n Page saved with SingleFile \n url: {url} \n saved date: {date}\n-->"
    return page(text).replace("<head>", f"{comment}<head>", 1).encode()


def saved_as(url: str, text: str, length: int | None = None) -> bytes:
    size = len(url) if length is None else length
    return page(text).replace("\n", f"\n<!-- saved from url=({size:04d}){url} -->\n", 1).encode()


def mhtml(
    url: str,
    text: str,
    *,
    encoding: str = "quoted-printable",
    subject: str = "Tide mills",
    date: str = "Sat, 28 Nov 2026 09:00:00 -0000",
    frames: Sequence[str] = (),
    html: str | None = None,
) -> bytes:
    """As Chromium writes it: the page, a style sheet, frames."""
    head = [
        "From: <Saved by Blink>",
        f"Snapshot-Content-Location: {url}",
        f"Subject: {subject}",
        f"Date: {date}",
        "MIME-Version: 1.0",
        'Content-Type: multipart/related;\n\ttype="text/html";\n\tboundary="----MultipartBoundary--a1----"',
        "",
        "",
    ]
    parts = [_part("text/html", url, html or page(text), encoding)]
    parts.append(_part("text/css", "cid:css-1@mhtml.blink", "p { color: red }", encoding))
    parts += [
        _part("text/html", f"cid:frame-{n}@mhtml.blink", frame, encoding) for n, frame in enumerate(frames)
    ]
    boundary = "------MultipartBoundary--a1----"
    body = "".join(f"{boundary}\n{part}\n" for part in parts) + f"{boundary}--\n"
    return ("\n".join(head) + body).replace("\n", "\r\n").encode("ascii")


def _part(kind: str, url: str, text: str, encoding: str) -> str:
    data = text.encode()
    coded = base64.encodebytes(data) if encoding == "base64" else quopri.encodestring(data)
    head = f"Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\nContent-Location: {url}\n\n"
    return head + coded.decode("ascii")


def web_archive(url: str, text: str, *, binary: bool = True, frames: Sequence[str] = ()) -> bytes:
    archive: dict[str, Any] = {
        "WebMainResource": _resource(url, page(text).encode()),
        "WebSubresources": [{**_resource(f"{url}/a.css", b"p {}"), "WebResourceMIMEType": "text/css"}],
        "WebSubframeArchives": [
            {"WebMainResource": _resource(f"{url}/f", frame.encode())} for frame in frames
        ],
    }
    return plistlib.dumps(archive, fmt=plistlib.FMT_BINARY if binary else plistlib.FMT_XML)


def _resource(url: str, data: bytes) -> dict[str, Any]:
    return {
        "WebResourceURL": url,
        "WebResourceMIMEType": "text/html",
        "WebResourceTextEncodingName": "UTF-8",
        "WebResourceFrameName": "",
        "WebResourceData": data,
    }


def record(
    kind: str,
    url: str,
    body: bytes,
    *,
    date: str = "2026-11-28T09:00:00Z",
    version: str = "1.0",
    **headers: str,
) -> bytes:
    """One WARC record; headers with _ for -."""
    lines = [f"WARC/{version}", f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", f"WARC-Date: {date}"]
    lines += ["WARC-Record-ID: <urn:uuid:0a1b2c3d-0a1b-4a1b-8a1b-0a1b2c3d4e5f>"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body + b"\r\n\r\n"


def response(
    url: str,
    html: str | bytes,
    *,
    date: str = "2026-11-28T09:00:00Z",
    status: str = "200 OK",
    content_type: str = "text/html; charset=utf-8",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """A response record with its HTTP head."""
    body = html.encode() if isinstance(html, str) else html
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    http = "\r\n".join([*lines, "", ""]).encode() + body
    return record("response", url, http, date=date, Content_Type="application/http; msgtype=response")


def chunked(body: bytes, size: int = 50) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def warc(records: Sequence[bytes], *, packed: bool = True) -> bytes:
    """A WARC file; each record is a gzip member of its own."""
    info = record("warcinfo", "", b"software: none\r\n", Content_Type="application/warc-fields")
    return b"".join(map(gzip.compress, [info, *records])) if packed else b"".join([info, *records])


def wacz(records: Sequence[bytes], pages: Sequence[Mapping[str, str]] = ()) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("datapackage.json", json.dumps({"profile": "data-package"}))
        archive.writestr("archive/data.warc.gz", warc(records))
        if pages:
            lines = [{"format": "json-pages-1.0", "id": "pages"}, *pages]
            archive.writestr("pages/pages.jsonl", "\n".join(map(json.dumps, lines)))
    return buffer.getvalue()
