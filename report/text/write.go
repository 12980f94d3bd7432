package text

import (
	"io"

	"github.com/diffprof/diffprof/report"
)

// Write writes a document of any view.
func Write(w io.Writer, d *report.Document, o report.Options) error {
	switch d.View {
	case report.Comparison:
		return Comparison(w, d.Report, o)
	case report.OneTask, report.WholeRun:
		return Flasks(w, d, o)
	case report.Contexts:
		return Tree(w, d.Tree, o)
	case report.PackageList:
		return Packages(w, d.Packages, o)
	case report.ByApp:
		return Apps(w, d.Apps, o)
	case report.EnergyProfile:
		return Profile(w, d.Profile, o)
	case report.Ledger:
		return History(w, d.History, o)
	case report.Variation:
		return Noise(w, d.Noise, o)
	case report.Diagnosis:
		return Doctor(w, d.Doctor, o)
	case report.CommitTrend:
		return Trend(w, d.Trend, o)
	case report.CommitBlame:
		return Blame(w, d.Trend, o)
	case report.CostTable:
		return APITable(w, d.Costs, o)
	case report.ByLine:
		return Lines(w, d.Lines, o)
	case report.ByMethod:
		return Top(w, d.Top, o)
	default:
		return Info(w, d.Info, o)
	}
}
