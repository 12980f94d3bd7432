package ingest

// OpenAs is Open with a given table of formats.
var OpenAs = open

// Looks returns the kinds of files that are recognised but not read, with their hints.
func Looks() []UnknownError {
	var all []UnknownError
	for _, l := range unsupportedKinds {
		all = append(all, UnknownError{Description: l.what, Hint: l.hint})
	}
	return all
}
