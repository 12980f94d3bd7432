package ingest

// OpenAs is Open with other formats than those that there are.
var OpenAs = open

// Looks returns what files that cannot be read may look like, and what to do.
func Looks() []UnknownError {
	var all []UnknownError
	for _, l := range looks {
		all = append(all, UnknownError{l.what, l.hint})
	}
	return all
}
