package server

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// The server shows a notice if hardly any tasks of a recording are in the sources: if it has at
// least noticeTasks tasks, and the sources have less than noticeShare of them.
const (
	noticeTasks = 10
	noticeShare = 0.1
)

// notice warns once per recording if the wrong folder seems to be open, or if names are shortened.
func (s *session) notice(set *finding.Set) {
	sources, path := s.workspace.Sources(), set.Result.Subject.Path
	if len(set.Tasks()) < noticeTasks || !sources.Loaded() || len(sources.Classes()) == 0 {
		return
	}
	placed := 0
	for i := range set.Tasks() {
		for _, site := range set.Tasks()[i].Sites {
			if sources.Declares(site.Method.Class()) {
				placed++
				break
			}
		}
	}
	if float64(placed) >= noticeShare*float64(len(set.Tasks())) {
		return
	}
	if !s.workspace.FirstNotice(path) {
		return
	}
	message := fmt.Sprintf("%d of %s are in the sources of this workspace: ", placed, words.Some(len(set.Tasks()), "task"))
	if shortened(set) && s.workspace.Options().Subject.Mapping == "" {
		message += "the recording has names that R8 or ProGuard shortened. Name its mapping.txt as mappingSubject in diffprof.yaml"
	} else {
		message += "open the folder of the app that was recorded"
	}
	s.ask(message)
}

// ask shows a message, with a button that opens the project file if the client supports it.
func (s *session) ask(message string) {
	file := s.workspace.Project().File
	if !s.client.Can().Window.ShowDocument.Support || file == "" {
		s.client.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: message})
		return
	}
	open := protocol.MessageActionItem{Title: "Open diffprof.yaml"}
	var chosen *protocol.MessageActionItem
	err := s.client.Call(s.ctx, protocol.MethodWindowShowMessageRequest, &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeInfo, Message: message, Actions: []protocol.MessageActionItem{open},
	}, &chosen)
	if err == nil && chosen != nil && chosen.Title == open.Title {
		// Without a selection, LSP4IJ does not open the file.
		s.client.Request("window/showDocument", map[string]any{"uri": lsp.URIOf(file), "takeFocus": true, "selection": protocol.Range{}})
	}
}

// shortened reports whether most names of the classes that call tasks have one or two letters, as
// R8 makes them.
func shortened(set *finding.Set) bool {
	short, all := 0, make(map[string]bool)
	for i := range set.Tasks() {
		for _, site := range set.Tasks()[i].Sites {
			if class := site.Method.Class(); !all[class] {
				all[class] = true
				if simple := className(site.Method); len(simple) <= 2 {
					short++
				}
			}
		}
	}
	return 2*short > len(all)
}

// className returns a method's outermost class without its package.
func className(m name.Method) string {
	class := strings.TrimPrefix(m.Class(), m.Scope+".")
	outer, _, _ := strings.Cut(class, "$")
	return outer
}
