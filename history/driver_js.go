package history

// cause returns "". In a browser there is no SQLite driver, so a history cannot be opened.
func cause(error) string { return "" }
