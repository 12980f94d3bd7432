package platform

import "github.com/diffprof/diffprof/name"

// sitePackages is the folder of packages that do not come with Python. Some systems call it
// dist-packages.
const sitePackages = "site-packages"

// python describes Python's standard library. It consists of modules that are frozen into the
// interpreter, and of files in folders such as lib/python3.11.
var python = system{
	lang:      name.Python,
	separator: "/",
	waits: map[string][]string{
		"threading": {"wait"},
		"selectors": {"select"},
	},
	folders: []string{"<frozen ", "/lib/python", "/Lib/", "/lib64/python"},
	modules: []string{"libpython3", "libpython2", "python", "python2", "python3", "pypy", "pypy3"},
}
