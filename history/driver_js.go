package history

// cause is empty in a browser: there is no driver of SQLite, so that opening a history says so.
func cause(error) string { return "" }
