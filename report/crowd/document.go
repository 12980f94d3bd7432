package crowd

import "strings"

// A Document is an answer in JSON. Only the requested parts are set.
type Document struct {
	SchemaVersion int         `json:"schemaVersion"`
	Tool          Tool        `json:"tool"`
	Fleet         Fleet       `json:"fleet"`
	Hogs          []Hog       `json:"hogs,omitzero"`
	Bugs          []Bug       `json:"bugs,omitzero"`
	Recall        []Recall    `json:"recall,omitempty"`
	App           *App        `json:"app,omitempty"`
	Actions       []Action    `json:"actions,omitzero"`
	Scores        []Score     `json:"scores,omitzero"`
	Suggestion    *Suggestion `json:"suggestion,omitempty"`
	// LeftOut has the samples and pairs of samples that were left out, by reason.
	LeftOut []LeftOut `json:"leftOut"`
	// Notes are sentences about the basis and the limits of the answer.
	Notes []string `json:"notes"`
	view  string
}

// Tool is the program that wrote the document.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Fleet describes the judged samples and the method that judged them.
type Fleet struct {
	Method  string   `json:"method"`
	Within  []string `json:"within"`
	Clients int64    `json:"clients"`
	Samples int64    `json:"samples"`
	Pairs   int64    `json:"pairs"`
	// Rate is the mean discharge rate, in % per second. Hours is the life of a charge at this rate.
	Rate   float64 `json:"ratePercentPerSecond"`
	Hours  float64 `json:"hoursOfCharge"`
	Judged int     `json:"appsJudged"`
	Few    int     `json:"appsWithTooFewClients"`
}

// LeftOut counts the samples or pairs of samples that were left out for one reason.
type LeftOut struct {
	What string `json:"what"`
	N    int64  `json:"n"`
}

// Drain is the excess of an app: how much faster the battery discharges with the app.
type Drain struct {
	Excess       float64 `json:"excessPercentPerSecond"`
	Half         float64 `json:"halfIntervalPercentPerSecond"`
	Reference    float64 `json:"referencePercentPerSecond"`
	Minutes      float64 `json:"minutesOfCharge"`
	LeastMinutes float64 `json:"leastMinutesOfCharge"`
	MostMinutes  float64 `json:"mostMinutesOfCharge"`
}

// Hog is an app that uses more energy on all devices.
type Hog struct {
	App string `json:"app"`
	Drain
	P          *float64 `json:"p"`
	Clients    int64    `json:"clients"`
	Compared   int64    `json:"clientsCompared"`
	Confounded []string `json:"cannotBeToldFrom"`
	// Seen is the measured share of the excess. The rest is not measured, because the app starts
	// and stops between samples.
	Seen *float64 `json:"shareSeen"`
	// When are the conditions under which the app uses more. It is empty if the app always uses
	// more.
	When []string `json:"when,omitempty"`
	// Conditions has the excess under each of the first two conditions of the app's tree. It is set
	// only in the list of hogs.
	Conditions []Conditional `json:"conditions,omitempty"`
}

// Conditional is the excess of an app under a condition.
type Conditional struct {
	Condition string  `json:"condition"`
	Drain     float64 `json:"percentPerSecond"`
	Half      float64 `json:"halfIntervalPercentPerSecond"`
}

// Name returns the app with the conditions of its excess.
func (h *Hog) Name() string {
	if len(h.When) == 0 {
		return h.App
	}
	return h.App + " with " + strings.Join(h.When, ", ")
}

// Bug is an app that uses more energy on one client.
type Bug struct {
	Client string `json:"client"`
	App    string `json:"app"`
	Drain
	P          *float64 `json:"p"`
	Pairs      int64    `json:"pairs"`
	Confounded []string `json:"cannotBeToldFrom"`
	// Rare means that the samples cannot distinguish the app from an app that fewer than five
	// devices ran.
	Rare bool `json:"orRareApp"`
}

// Recall is how many bugs of one size the fleet would find, as a share. To measure it, such bugs
// are added to the samples.
type Recall struct {
	Excess  float64 `json:"excessPercentPerSecond"`
	Planted int64   `json:"planted"`
	Found   int64   `json:"found"`
}

// Evidence has the results for an app, whether or not it is a hog.
type Evidence struct {
	Excess float64 `json:"excessPercentPerSecond"`
	Half   float64 `json:"halfIntervalPercentPerSecond"`
	// Clients is the number of clients with time both with and without the app.
	Clients int64 `json:"clients"`
	// Least is the smallest excess that the fleet would show in four of five cases. It is nil if the
	// fleet would show none.
	Least *float64 `json:"leastExcessPercentPerSecond"`
}

// App has all results about one app.
type App struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Hog     *Hog   `json:"hog"`
	// Evidence is nil if too few clients have time both with and without the app.
	Evidence  *Evidence `json:"evidence"`
	BugsOn    int       `json:"clientsWithBugs"`
	Tree      *Node     `json:"tree"`
	Remedies  []Remedy  `json:"remedies"`
	Rates     []Class   `json:"rates"`
	Growth    []Point   `json:"growth"`
	Diagnosed string    `json:"-"`
}

// Node is a node of a tree of conditions.
type Node struct {
	Condition string  `json:"condition"`
	Drain     float64 `json:"percentPerSecond"`
	Half      float64 `json:"halfIntervalPercentPerSecond"`
	With      *Node   `json:"with"`
	Without   *Node   `json:"without"`
}

// Remedy is an action that may reduce the energy of an app.
type Remedy struct {
	Advice []string `json:"do"`
	When   []string `json:"when"`
	Drain  float64  `json:"percentPerSecond"`
	Half   float64  `json:"halfIntervalPercentPerSecond"`
}

// Class is one class of a histogram of rates, with its shares.
type Class struct {
	Rate    float64 `json:"percentPerSecond"`
	With    float64 `json:"shareWithApp"`
	Without float64 `json:"shareWithoutApp"`
}

// Point is an estimate from the data of N clients, or from N rates.
type Point struct {
	N    int64   `json:"n"`
	Mean float64 `json:"percentPerSecond"`
	Half float64 `json:"halfIntervalPercentPerSecond"`
}

// Action is an action that a client could take.
type Action struct {
	Advice     string   `json:"do"`
	App        string   `json:"app"`
	Minutes    float64  `json:"minutesOfCharge"`
	Least      float64  `json:"leastMinutesOfCharge"`
	Most       float64  `json:"mostMinutesOfCharge"`
	Share      float64  `json:"shareOfTime"`
	Confounded []string `json:"cannotBeToldFrom"`
}

// Score rates the battery life of a client against other clients (J-Score).
type Score struct {
	Client  string  `json:"client"`
	Score   *int    `json:"score"`
	Missing string  `json:"missing,omitempty"`
	Cohort  string  `json:"cohort"`
	N       int     `json:"cohortDevices"`
	Rate    float64 `json:"ratePercentPerSecond"`
	Active  bool    `json:"screenOnOnly"`
}

// rank sorts low scores first, and clients without a score last.
func (s *Score) rank() int {
	if s.Score == nil {
		return 101
	}
	return *s.Score
}
