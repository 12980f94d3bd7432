package preprocess

// Steps says which steps of preprocessing to run.
type Steps struct{ Async, Entry, App, Hierarchy bool }
