package check

import (
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// These types are the part of SARIF 2.1.0 that [SARIF] writes. Fields are in the order of their
// JSON names, and properties with the default value of the standard are absent.

const sarifSchema = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema     string     `json:"$schema"`
	Properties struct{}   `json:"properties"`
	Runs       []sarifRun `json:"runs"`
	Version    string     `json:"version"`
}

type sarifRun struct {
	ColumnKind       string        `json:"columnKind"`
	Language         string        `json:"language"`
	NewlineSequences []string      `json:"newlineSequences"`
	Results          []sarifResult `json:"results"`
	Tool             struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
}

type sarifDriver struct {
	Contents        []string    `json:"contents"`
	InformationURI  string      `json:"informationUri"`
	IsComprehensive bool        `json:"isComprehensive"`
	Language        string      `json:"language"`
	Name            string      `json:"name"`
	Rules           []sarifRule `json:"rules"`
	SemanticVersion string      `json:"semanticVersion"`
}

type sarifRule struct {
	FullDescription  sarifText    `json:"fullDescription"`
	Help             sarifText    `json:"help"`
	HelpURI          string       `json:"helpUri"`
	ID               finding.Code `json:"id"`
	Name             string       `json:"name"`
	ShortDescription sarifText    `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	Kind                string           `json:"kind"`
	Level               string           `json:"level"`
	Locations           []sarifLocation  `json:"locations"`
	Message             sarifText        `json:"message"`
	PartialFingerprints sarifPrints      `json:"partialFingerprints"`
	Properties          *sarifProperties `json:"properties,omitempty"`
	RuleID              finding.Code     `json:"ruleId"`
	RuleIndex           int              `json:"ruleIndex"`
}

// sarifPrints identify a result in later reports. GitHub compares the second fingerprint.
type sarifPrints struct {
	ID   string `json:"diffprof/v1"`
	Line string `json:"primaryLocationLineHash"`
}

type sarifLocation struct {
	LogicalLocations []sarifLogical `json:"logicalLocations"`
	PhysicalLocation struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type sarifProperties struct {
	Suspect sarifSuspect `json:"suspect"`
}

type sarifSuspect struct {
	Component string        `json:"component"`
	Energy    *units.Energy `json:"energyNJ,omitempty"`
	Message   string        `json:"message"`
	Method    string        `json:"method"`
}
