"""The names that are left out by default, as data; excludes.py decides with them. All are lower case."""

import re

# Folders and files that hold secrets. Nothing brings them back, not even a pattern of the user.
SECRET_NAMES = frozenset(
    b""".ssh .gnupg .gpg .pki .aws .kube .azure .gcloud .docker .password-store .keychain .keepass
    .1password .bitwarden .vault-token .netrc _netrc .pgpass .my.cnf .mylogin.cnf .git-credentials
    .npmrc .pypirc .htpasswd .dockercfg .s3cfg .boto .vnc .rhosts .fetchmailrc .msmtprc
    .smbcredentials .terraformrc .mozilla .thunderbird .waterfox .librewolf .zen .tor-browser
    keychains keyrings kwalletd secrets.yml secrets.yaml secrets.json .bash_history .zsh_history
    .python_history .psql_history .mysql_history .sqlite_history .node_repl_history shadow gshadow
    credentials.json client_secret.json service-account.json terraform.tfstate""".split()
)
SECRET_SUFFIXES = frozenset(
    b"""pem key kdbx kdb ppk p12 pfx jks keystore keychain keychain-db agilekeychain opvault 1pif psafe3
    gpg pgp ovpn mobileconfig pkcs12 p8 der kwallet enpassdb""".split()
)
SECRET_PATTERN = re.compile(
    rb"\.env(?:\..*|rc)?|id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[._-].*)?|secring\..*|.*\.tfstate\..*"
)
# Secrets whose folder has a common name, known by the names of the folders above it.
SECRET_PATHS = frozenset(
    {
        (b".config", b"google-chrome"),
        (b".config", b"google-chrome-beta"),
        (b".config", b"chromium"),
        (b".config", b"microsoft-edge"),
        (b".config", b"bravesoftware"),
        (b".config", b"vivaldi"),
        (b".config", b"opera"),
        (b".config", b"gh"),
        (b".config", b"gcloud"),
        (b".config", b"op"),
        (b".config", b"sops"),
        (b".config", b"rclone"),
        (b".config", b"keepassxc"),
        (b".config", b"bitwarden"),
        (b".config", b"1password"),
        (b".config", b"signal"),
        (b".config", b"mozilla"),
        (b"google", b"chrome"),
        (b"google", b"chrome beta"),
        (b"chromium", b"user data"),
        (b"edge", b"user data"),
        (b"microsoft", b"edge"),
        (b"microsoft", b"credentials"),
        (b"microsoft", b"protect"),
        (b"application support", b"microsoft edge"),
        (b"application support", b"bravesoftware"),
        (b"application support", b"chromium"),
        (b"application support", b"firefox"),
        (b"application support", b"signal"),
        (b"application support", b"1password"),
        (b"application support", b"bitwarden"),
        (b"mozilla", b"firefox"),
        (b"bravesoftware", b"brave-browser"),
        (b"library", b"cookies"),
        (b"library", b"safari"),
        (b"snap", b"firefox"),
        (b"snap", b"chromium"),
    }
)
# A folder that holds one of these files is what the word says, whatever its name.
MARKERS = {
    b"pyvenv.cfg": "environment",
    b"conda-meta": "environment",
    b"CACHEDIR.TAG": "cache",
    b".nobackup": "ignored",
    b".nomedia": "ignored",
    b".trackerignore": "ignored",
    b"key4.db": "secret",
    b"logins.json": "secret",
    b"Login Data": "secret",
    b"cookies.sqlite": "secret",
}

NAMES: dict[bytes, str] = {
    **dict.fromkeys(b".git .hg .svn .bzr .jj .pijul _darcs cvs .fossil".split(), "vcs"),
    **dict.fromkeys(
        b"""node_modules bower_components jspm_packages .pnpm-store .yarn site-packages dist-packages
        pods""".split(),
        "dependencies",
    ),
    **dict.fromkeys(
        b""".cache caches __pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .npm .gradle
        .sass-cache .parcel-cache .turbo .nuget .m2 .ivy2 .cargo .rustup .thumbnails .trash
        .local-cache .ccache .eslintcache .ipynb_checkpoints $recycle.bin .spotlight-v100 .fseventsd
        .temporaryitems .documentrevisions-v100""".split(),
        "cache",
    ),
    **dict.fromkeys(
        [b"system volume information", b"lost+found", b"thumbs.db", b"desktop.ini", b".ds_store"], "cache"
    ),
    **dict.fromkeys(b".venv .virtualenv .virtualenvs .conda .pyenv .tox .nox .direnv".split(), "environment"),
    **dict.fromkeys(
        b"""cmakefiles .next .nuxt .svelte-kit .eggs .terraform deriveddata .build bazel-bin bazel-out
        htmlcov""".split(),
        "build",
    ),
}
# One pattern for all of them, since it is asked for every name; the group's name is the reason.
NAME_PATTERN = re.compile(
    rb"(?P<build>.*\.egg-info|cmake-build-.*|bazel-.*)|(?P<cache>\.trash-.*)"
    rb"|(?P<temporary>~\$.*|\.~lock\..*|.*~"
    rb"|.*\.(?:part|crdownload|download|partial|tmp|temp|swp|swo|swx|lock|pid))",
    re.DOTALL,
)
# "build" or "target" may be a folder of documents; it is a build tree only beside a file that builds into it.
_SOURCES = frozenset(
    b"""setup.py setup.cfg pyproject.toml package.json cmakelists.txt build.gradle build.gradle.kts
    meson.build configure configure.ac makefile gnumakefile build.xml cargo.toml pom.xml build.sbt
    mix.exs""".split()
)
BUILD_BESIDE: dict[bytes, frozenset[bytes]] = {
    b"build": _SOURCES,
    b"dist": _SOURCES,
    b"out": _SOURCES,
    b"target": frozenset([b"cargo.toml", b"pom.xml", b"build.sbt"]),
    b"_build": frozenset([b"conf.py", b"mix.exs", b"dune-project", b"makefile"]),
    b"vendor": frozenset([b"go.mod", b"composer.json", b"gemfile"]),
}
