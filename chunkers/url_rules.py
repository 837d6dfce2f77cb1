"""The tables that judge addresses: what names no page of its own, which hosts are near.

Not here: how they are applied, see urls.py. Search engines are in url_searches.py.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Labels of a host, the last two apart, that show the same pages for another device.
DEVICE_LABELS = _words("www m mobile amp touch")

# Other names of the same site, by the host without device labels.
SAME_HOST: Mapping[str, str] = {
    "old.reddit.com": "reddit.com",
    "new.reddit.com": "reddit.com",
    "np.reddit.com": "reddit.com",
    "twitter.com": "x.com",
    "youtube-nocookie.com": "youtube.com",
}

# The last segment of a path that a server adds by itself.
INDEX_NAMES = _words(
    "index.html index.htm index.xhtml index.shtml index.php index.php5 index.asp index.aspx"
    " index.jsp index.cgi index.pl default.html default.htm default.asp default.aspx"
)

# Parameters that say where a reader came from, wherever they stand.
TRACKING_PREFIXES = (
    "utm_",
    "mtm_",
    "piwik_",
    "matomo_",
    "hsa_",
    "itm_",
    "vero_",
    "oly_",
    "__hs",
    "_hs",
    "fb_action_",
    "_bta_",
    "wt.",
)
TRACKING_NAMES = _words(
    "gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl fbclid fb_ref"
    " fb_source msclkid yclid ysclid ymclid _openstat twclid ttclid li_fat_id igshid igsh epik"
    " rdt_cid sccid scclid mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash s_cid"
    " s_kwcid ef_id irclickid irgwc cjevent clickid dicbo obclid tblci wickedid rb_clickid _kx"
    " __s nr_email_referer ncid cmpid xtor wprov mibextid guccounter guce_referrer"
    " guce_referrer_sig amp_js_v amp_gsa usqp __twitter_impression pk_campaign pk_kwd"
    " pk_source pk_medium pk_content pk_cid"
)
SESSION_NAMES = _words("phpsessid jsessionid zenid oscsid xtcsid cfid cftoken")
SESSION_PREFIX = "aspsessionid"

# Names that may be anything: these values only say who reads, or on what device.
_HASH, _LONG = re.compile(r"[0-9a-fA-F]{32}"), re.compile(r"[0-9A-Za-z_-]{20,}")
JUNK_VALUES: Mapping[str, re.Pattern[str]] = {
    "s": _HASH,
    "sid": _HASH,
    "session": _HASH,
    "sessid": _LONG,
    "sessionid": _LONG,
    "session_id": _LONG,
    "session-id": _LONG,
    "amp": re.compile("|1|true"),
    "outputtype": re.compile("amp"),
}
# ASP.NET keeps a session in a segment of the path.
SESSION_SEGMENT = re.compile(r"\([A-Z]\([0-9a-z]{24}\)\)")

# A fragment that begins so is a page of its own; a lightbox over a page is not.
ROUTES = ("!", "/")
OVERLAY = re.compile(r"/(?:media|languages|editor)(?:/|$)")

# Parameters that track on these sites only: by the host, its last two labels, or its first.
SITE_TRACKING: Mapping[str, frozenset[str]] = {
    "youtube.com": _words("feature si pp ab_channel app"),
    "x.com": _words("s t ref_src ref_url cn"),
    "reddit.com": _words("share_id rdt ref ref_source context_id"),
    "facebook.com": _words("__tn__ __xts__ eid hc_ref fref refsrc ref _rdr __cft__[0] paipv eav"),
    "linkedin.com": _words("trk trackingid refid lipi"),
    "open.spotify.com": _words("si"),
    "medium.com": _words("source sk"),
    "wikipedia.org": _words("useskin"),
    "google.": _words(
        "ved ei sa usg sxsrf gs_lcp gs_lcrp gs_l oq aqs sclient client source sourceid ie oe bih"
        " biw dpr rlz uact iflsig fbs"
    ),
    "bing.com": _words("form cvid pq sc sp sk qs ghsh ghacc ghpl ghc refig"),
    "duckduckgo.com": _words("t atb ia"),
}


@dataclass(frozen=True, slots=True)
class Moved:
    """A path under which a site shows a page again, and where the page is, as ``Match.expand`` takes it."""

    host: str
    pattern: re.Pattern[str]
    target: str


# Matched against "host/path?query" after all else.
MOVED: tuple[Moved, ...] = (
    Moved("youtu.be", re.compile(r"youtu\.be/([\w-]{6,20})(?:\?(.*))?"), r"youtube.com/watch?\2&v=\1"),
    Moved(
        "youtube.com",
        re.compile(r"youtube\.com/(?:shorts|embed|live|v)/([\w-]{6,20})(?:\?(.*))?"),
        r"youtube.com/watch?\2&v=\1",
    ),
    Moved(
        "amazon.",
        re.compile(r"(amazon\.[a-z.]{2,6})/(?:.*/)?(?:dp|gp/product|gp/aw/d)/(\w{10})(?:[/?].*)?"),
        r"\1/dp/\2",
    ),
    # Not one inside another: each would take the whole length once more.
    Moved(
        "google.", re.compile(r"google\.[a-z.]{2,6}/amp/(?:s/)?((?![^/]*google\.)[\w-]+\.[\w.-]+/.*)"), r"\1"
    ),
)

LOCAL_SUFFIXES = _words(
    "local lan localhost localdomain internal intranet private corp home workgroup test"
    " invalid example home.arpa fritz.box"
)

BROWSER_SCHEMES = _words(
    "about chrome chrome-extension chrome-search chrome-native chrome-untrusted"
    " chrome-distiller chrome-error chrome-devtools devtools edge extension brave vivaldi"
    " opera arc moz-extension resource view-source wyciwyg safari-extension"
    " safari-web-extension safari-resource ms-browser-extension qute ephy-about ephy-resource"
    " ephy-reader reader place isolated-app"
)
INLINE_SCHEMES = _words("data blob javascript vbscript filesystem cid mid")
