"""Word pools."""

from __future__ import annotations

PEOPLE = ("ana", "bram", "chen", "dara", "emil", "fatima", "grace", "hiro", "ines", "jonas", "kavya", "liwei")
ADJECTIVES = (
    "amber", "brisk", "calm", "deft", "eager", "fleet", "grand", "hidden", "ideal", "keen", "lucid", "mellow", "nimble",
    "open", "plain", "quiet", "rapid", "solid", "tidal", "urban", "vivid", "warm", "young", "zonal",
)  # fmt: skip
NOUNS = (
    "account", "address", "adapter", "alert", "archive", "asset", "audit", "balance", "batch", "billing", "branch",
    "broker", "bucket", "budget", "cache", "calendar", "campaign", "cart", "catalog", "channel", "checkout", "client",
    "cluster", "comment", "config", "contact", "contract", "cursor", "customer", "dashboard", "dataset", "delivery",
    "deployment", "device", "digest", "discount", "document", "driver", "endpoint", "event", "export", "feature",
    "feed", "filter", "fixture", "forecast", "gateway", "grant", "group", "header", "history", "image", "import",
    "index", "ingest", "inventory", "invoice", "item", "job", "journal", "label", "layout", "ledger", "lesson",
    "license", "limit", "listing", "loader", "location", "lock", "manifest", "market", "member", "message", "metric",
    "migration", "mirror", "module", "monitor", "network", "node", "notice", "offer", "order", "owner", "package",
    "page", "partner", "payment", "payout", "peer", "permission", "pipeline", "plan", "player", "policy", "pool",
    "portal", "price", "product", "profile", "project", "promise", "proxy", "queue", "quota", "rate", "reader",
    "receipt", "record", "region", "registry", "release", "relay", "report", "request", "reserve", "resource",
    "response", "result", "retry", "review", "role", "route", "rule", "sample", "schedule", "schema", "scope", "search",
    "segment", "sensor", "series", "session", "setting", "shard", "shipment", "signal", "snapshot", "source", "stage",
    "station", "status", "storage", "stream", "subject", "summary", "supplier", "support", "survey", "table", "tag",
    "target", "task", "template", "tenant", "ticket", "token", "topic", "trace", "track", "transfer", "trigger",
    "tunnel", "update", "upload", "usage", "user", "vendor", "version", "view", "visit", "volume", "wallet",
    "warehouse", "webhook", "window", "worker", "workspace", "writer", "zone",
)  # fmt: skip
VERBS = (
    "accept", "add", "apply", "assign", "attach", "build", "cancel", "check", "claim", "clean", "close", "collect",
    "commit", "compare", "compute", "confirm", "copy", "count", "create", "decode", "delete", "deliver", "detect",
    "drop", "emit", "encode", "enqueue", "ensure", "evict", "expand", "expire", "fetch", "filter", "find", "flush",
    "format", "freeze", "group", "handle", "hydrate", "import", "index", "infer", "insert", "inspect", "join", "list",
    "load", "lock", "lookup", "map", "mark", "match", "merge", "migrate", "move", "normalize", "notify", "open", "pack",
    "parse", "patch", "pick", "plan", "poll", "prepare", "print", "process", "prune", "publish", "pull", "push",
    "query", "rank", "read", "rebuild", "receive", "record", "reduce", "refresh", "register", "release", "reload",
    "remove", "rename", "render", "repair", "replace", "report", "reserve", "reset", "resolve", "restore", "resume",
    "retry", "route", "run", "sample", "save", "scan", "schedule", "score", "seal", "select", "send", "serialize",
    "settle", "sort", "split", "start", "stop", "store", "stream", "submit", "sync", "tag", "throttle", "track",
    "transform", "trim", "update", "upload", "validate", "verify", "visit", "wait", "warm", "wrap", "write",
)  # fmt: skip
TYPES = ("int", "str", "float", "bool", "bytes", "list[str]", "dict[str, int]", "datetime", "Path", "Decimal", "UUID")
SERVICES = (
    "api", "auth", "billing", "cache", "catalog", "cron", "db", "edge", "gateway", "ingest", "mailer", "media",
    "metrics", "queue", "scheduler", "search", "session", "storage", "sync", "webhook", "worker",
)  # fmt: skip
EXCEPTIONS = (
    "ValueError", "KeyError", "TypeError", "TimeoutError", "ConnectionError", "PermissionError", "FileNotFoundError",
    "AssertionError", "AttributeError", "RuntimeError", "IndexError", "UnicodeDecodeError",
)  # fmt: skip
PACKAGES = (
    "aiohttp", "alembic", "anyio", "arrow", "asyncpg", "attrs", "babel", "bcrypt", "beautifulsoup4", "black", "boto3",
    "cachetools", "celery", "certifi", "cffi", "charset-normalizer", "click", "cloudpickle", "colorama", "coverage",
    "cryptography", "cython", "dask", "datasets", "decorator", "dnspython", "docker", "docutils", "duckdb", "fastapi",
    "fastparquet", "filelock", "flask", "fonttools", "frozenlist", "fsspec", "gevent", "gitpython", "greenlet",
    "grpcio", "gunicorn", "h11", "httpcore", "httpx", "hypothesis", "idna", "importlib-metadata", "ipython", "isort",
    "jinja2", "joblib", "jsonschema", "kiwisolver", "kombu", "librosa", "lxml", "mako", "markdown", "matplotlib",
    "msgpack", "multidict", "mypy", "networkx", "nltk", "numba", "numpy", "oauthlib", "openpyxl", "opentelemetry-api",
    "orjson", "packaging", "pandas", "paramiko", "pathspec", "pillow", "platformdirs", "plotly", "pluggy", "polars",
    "prometheus-client", "protobuf", "psutil", "psycopg", "pyarrow", "pydantic", "pygments", "pyjwt", "pymongo",
    "pytest", "pytest-cov", "python-dateutil", "pytz", "pyyaml", "redis", "regex", "requests", "rich", "ruff", "s3fs",
    "scikit-learn", "scipy", "seaborn", "sentry-sdk", "setuptools", "shapely", "simpy", "six", "sniffio", "sqlalchemy",
    "starlette", "statsmodels", "sympy", "tabulate", "tenacity", "tiktoken", "toml", "torch", "tornado", "tqdm",
    "typer", "urllib3", "uvicorn", "virtualenv", "watchdog", "websockets", "werkzeug", "wheel", "wrapt", "xarray",
    "yarl", "zipp", "zstandard",
)  # fmt: skip

CITIES = ("Berlin", "Lagos", "Lima", "Osaka", "Oslo", "Pune", "Quito", "Turin", "Utrecht", "Wuhan", "Xiamen", "York")
