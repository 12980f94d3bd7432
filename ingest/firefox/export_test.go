package firefox

var SymbolFile = symbolFile
