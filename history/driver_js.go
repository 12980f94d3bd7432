package history

// cause returns "" in a browser. There is no SQLite driver there, so a history cannot be opened.
func cause(error) string { return "" }
