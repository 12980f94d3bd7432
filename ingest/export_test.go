package ingest

// OpenAs is Open with other formats than those that there are.
var OpenAs = open
