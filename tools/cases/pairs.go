package main

import "github.com/diffprof/diffprof/tools/artwrite"

// A pair is a case of the paper: two runs to compare.
type pair struct {
	name               string
	subject, reference app
}

// An app is one run of one app.
type app struct {
	// pkg is the app's package. In outlines, ~ represents it.
	pkg string
	// total is the energy of the run in µAh. seconds is the length of the run.
	total   float64
	seconds int
	threads []thread
	// exclusive has the stated exclusive energies of methods in µAh, by short name.
	exclusive map[string]float64
	// form is the format of the file. vm "dalvik" writes names with slashes, and line numbers.
	form artwrite.Form
	vm   string
	pid  int
	gzip bool
	// shrunk means that the app's own names are obfuscated, and that there is a mapping.txt.
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
