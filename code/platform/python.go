package platform

import "github.com/diffprof/diffprof/name"

// sitePackages is the folder of packages that do not come with Python. On some systems, it is
// called dist-packages.
const sitePackages = "site-packages"

// python describes Python's standard library: modules that are frozen into the interpreter, and
// files in folders such as lib/python3.11. py-spy omits the folder of modules from paths, as in
// json/encoder.py.
var python = system{
	lang:      name.Python,
	separator: "/",
	waits: map[string][]string{
		"threading": {"wait"},
		"selectors": {"select"},
	},
	parents: pythonModules,
	folders: []string{"<frozen ", "/lib/python", "/Lib/", "/lib64/python"},
	modules: []string{"libpython3", "libpython2", "python", "python2", "python3", "pypy", "pypy3"},
}

// pythonModules are the modules of Python 3.11 (sys.stdlib_module_names), except for names that
// programs often use, such as code, profile and calendar.
var pythonModules = []string{
	"__future__", "_abc", "_aix_support", "_ast", "_asyncio", "_bisect", "_blake2", "_bootsubprocess", "_bz2", "_codecs", "_codecs_cn", "_codecs_hk",
	"_codecs_iso2022", "_codecs_jp", "_codecs_kr", "_codecs_tw", "_collections", "_collections_abc", "_colorize", "_compat_pickle", "_compression",
	"_contextvars", "_crypt", "_csv", "_ctypes", "_curses", "_curses_panel", "_datetime", "_dbm", "_decimal", "_elementtree", "_frozen_importlib",
	"_frozen_importlib_external", "_functools", "_gdbm", "_hashlib", "_heapq", "_imp", "_io", "_json", "_locale", "_lsprof", "_lzma", "_markupbase",
	"_md5", "_multibytecodec", "_multiprocessing", "_opcode", "_operator", "_osx_support", "_overlapped", "_pickle", "_posixshmem", "_posixsubprocess",
	"_py_abc", "_pydecimal", "_pyio", "_pylong", "_pyrepl", "_queue", "_random", "_scproxy", "_sha1", "_sha256", "_sha3", "_sha512", "_signal",
	"_sitebuiltins", "_socket", "_sqlite3", "_sre", "_ssl", "_stat", "_statistics", "_string", "_strptime", "_struct", "_symtable", "_thread",
	"_threading_local", "_tkinter", "_tokenize", "_tracemalloc", "_typing", "_uuid", "_warnings", "_weakref", "_weakrefset", "_winapi", "_zoneinfo",
	"abc", "aifc", "annotationlib", "argparse", "array", "ast", "asynchat", "asyncio", "asyncore", "atexit", "audioop", "base64", "bdb", "binascii",
	"bisect", "builtins", "bz2", "cProfile", "cgi", "cgitb", "cmath", "codecs", "codeop", "collections", "colorsys", "compileall", "compression",
	"concurrent", "configparser", "contextlib", "contextvars", "copy", "copyreg", "crypt", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm",
	"decimal", "difflib", "dis", "distutils", "doctest", "email", "encodings", "ensurepip", "enum", "errno", "faulthandler", "fcntl", "filecmp",
	"fileinput", "fnmatch", "fractions", "ftplib", "functools", "gc", "genericpath", "getopt", "getpass", "gettext", "glob", "graphlib", "grp", "gzip",
	"hashlib", "heapq", "hmac", "html", "http", "imaplib", "imghdr", "imp", "importlib", "inspect", "io", "ipaddress", "itertools", "json", "keyword",
	"linecache", "locale", "logging", "lzma", "mailbox", "mailcap", "marshal", "math", "mimetypes", "mmap", "modulefinder", "msvcrt", "multiprocessing",
	"netrc", "nis", "nntplib", "ntpath", "nturl2path", "numbers", "opcode", "operator", "optparse", "os", "ossaudiodev", "pathlib", "pdb", "pickle",
	"pickletools", "pipes", "pkgutil", "platform", "plistlib", "poplib", "posixpath", "pprint", "pstats", "pty", "pwd", "py_compile", "pyclbr", "pydoc",
	"pyexpat", "queue", "quopri", "random", "re", "readline", "reprlib", "resource", "rlcompleter", "runpy", "sched", "secrets", "select", "selectors",
	"shelve", "shlex", "shutil", "signal", "smtpd", "smtplib", "sndhdr", "socket", "socketserver", "spwd", "sqlite3", "sre_compile", "sre_constants",
	"sre_parse", "ssl", "stat", "statistics", "string", "stringprep", "struct", "subprocess", "sunau", "symtable", "sys", "sysconfig", "syslog",
	"tabnanny", "tarfile", "telnetlib", "tempfile", "termios", "textwrap", "threading", "time", "timeit", "tkinter", "tokenize", "tomllib", "trace",
	"traceback", "tracemalloc", "tty", "types", "typing", "unicodedata", "unittest", "urllib", "uu", "uuid", "venv", "warnings", "weakref", "webbrowser",
	"wsgiref", "xdrlib", "xml", "xmlrpc", "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo",
}
