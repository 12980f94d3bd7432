package history

// cause is empty in a browser: there is no driver of SQLite, so a history cannot be opened.
func cause(error) string { return "" }
