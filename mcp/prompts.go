package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A prompt is a task that a user can give to an assistant.
type prompt struct {
	name, title, description, text string
	// argument is the name of the only argument, empty if there is none.
	argument, about string
}

var prompts = []prompt{
	{
		name: "find_cause", title: "Find the cause", description: "Find why this version uses more energy than the other one.",
		argument: "code", about: "a class, method or file to look at; empty for all code",
		text: `Find why the new version uses more energy than the old one.

1. Call compare and read its sentences. If the verdict is cannot-tell, two-kinds or no-difference, report that, with what would answer the question, and stop.
2. Call explain for the first row that counts. Read the source at its places.
3. Say in a few sentences: which task or method, how much, on what evidence, in which line of the source, and what change would avoid it. Keep what was measured apart from what you suppose.`,
	},
	{
		name: "check_change", title: "Check my change", description: "Check whether a change of the code reached the energy.",
		argument: "code", about: "the class, method or file that was changed",
		text: `Check whether my change reduced the energy.

1. Make sure that the recordings are newer than the change. If they are not, ask for new recordings, of both versions in turn.
2. Call compare, then find with the changed code.
3. Say what changed by more than noise, what did not, and how many runs would show it if these cannot.`,
	},
	{
		name: "review_energy", title: "Review a pull request's energy", description: "Write a review comment about the energy of a change.",
		text: `Write a short review comment about the energy of this change.

1. Call compare, and explain for at most three rows that count.
2. Begin with the first sentence of the judgement. List the rows with their places, amounts and evidence.
3. Mention no row that does not count, except in one line that says how many were left out and why.`,
	},
}

func (s *Server) addPrompts() {
	for _, p := range prompts {
		made := &sdk.Prompt{Name: p.name, Title: p.title, Description: p.description}
		if p.argument != "" {
			made.Arguments = []*sdk.PromptArgument{{Name: p.argument, Description: p.about}}
		}
		s.sdk.AddPrompt(made, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			text := p.text
			if code := clean(req.Params.Arguments[p.argument]); p.argument != "" && code != "" {
				text += "\n\nThe code: " + code
			}
			return &sdk.GetPromptResult{Description: p.description, Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: text}},
			}}, nil
		})
	}
}
