module github.com/diffprof/diffprof

go 1.26

ignore ./vscode-extension
