package source

// Behind reports whether what is known of a file is that of an earlier text.
func (x *Index) Behind(path string) bool {
	e := x.entryOf(path)
	return e != nil && e.behind
}
