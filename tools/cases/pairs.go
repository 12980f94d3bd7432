package main

import "github.com/diffprof/diffprof/tools/artwrite"

// A pair is a case of the paper: two runs to compare.
type pair struct {
	name               string
	subject, reference app
}

// An app is one run of one app.
type app struct {
	// pkg is the app's package, which ~ represents in outlines.
	pkg string
	// total is the energy of the run, in µAh, and seconds its length.
	total   float64
	seconds int
	threads []thread
	// exclusive maps short names of methods to stated exclusive energies in µAh.
	exclusive map[string]float64
	// The format of the file. vm is "dalvik" for slashes and lines.
	form artwrite.Form
	vm   string
	pid  int
	gzip bool
	// shrunk replaces the app's own names and adds a mapping.txt.
	shrunk bool
}

func pairs() []pair {
	return []pair{
		{"hangouts-whatsapp", hangouts(), whatsapp(false)},
		{"textnow-whatsapp", textnow(), whatsapp(true)},
		{"kohls-letgo", kohls(), letgo(false)},
		{"wish-letgo", wish(), letgo(true)},
		{"kaspersky-avg", kaspersky(), avg()},
		{"dfndr-turbo", dfndr(), turbo()},
		{"pandora80-freemusic", pandora80(), freemusic()},
		{"pandora57-pandora83", pandora57(), pandora83(false)},
		{"spotify-pandora83", spotify(), pandora83(true)},
		{"solid-fx", solid(), fx()},
	}
}
