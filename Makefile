# `make help` says what each target does.

SHELL   := /bin/bash
GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)

# The race detector needs cgo, which needs a C compiler; without one only the plain tests run.
RACE := $(shell [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null && echo -race)

# Each of these writes the results that tally reads and counts. The race detector makes tests
# several times slower, so it watches only the packages whose code has goroutines or whose tests
# share its locks, and a tenth of their random cases; the plain run has all. Of the fleets it watches
# one test, since simulated fleets would take a quarter of an hour. It leaves out the tests in ALONE,
# which take long and run one goroutine, or the same goroutines as a shorter test. It does not watch
# the code of SQLite, which was translated from C and takes a minute to compile. `make check` vets
# all packages, so the tests do not. Without debug information (-w), linking takes a third less. Most
# tests have small heaps and make much garbage: with rarer collections they take a third less
# processor time.
GO_TEST     := GOGC=400 GOMEMLIMIT=3GiB $(GO) test -ldflags=-w -timeout 15m -json -vet=off
TEST_GO     := $(GO_TEST) ./...
ALONE       := TestAPICostsInEditors TestActivity TestAnswersAreBounded TestApksigner TestBlame \
               TestBursts TestCacheFolder TestComponentsConserve TestDamage TestDocs \
               TestEntryUndoesALateStart TestFindAgreesWithJavac TestFlaskOf.* TestHalfTyped \
               TestHierarchyTakesAnyClasses TestInstancesAreUsedAgain TestKnownWork \
               TestLinesOfPprof TestMatchAgainstOracles TestMatchExtremes TestMatchWide \
               TestMeasureLateStart TestMeasureSteps TestMeasuredLines TestMovedWorkSavesNothing \
               TestNoiseOfRealSamples TestOneGroup TestOpenCompressed \
               TestOpenStringsDoNotEndTheProcess TestPairKeepsTheLaws \
               TestPairKeepsTheLawsOnRealTraces TestPairTakesAnyShape TestPathsAreCountedAndMeasured TestPerfAgrees \
               TestPlacesAgreeWithCompilers TestPortionsAddUp TestRealBasis TestRecorders.* \
               TestRenamedBuilds TestSampledRenamedBuilds TestShiftsKeepTheLaws TestStrangers \
               TestTooLittleMemory TestUnlikeProgramsSaveNothing TestWeighedAgain
UNWATCHED   := -gcflags=modernc.org/...=-race=false
TEST_RACE   := $(if $(RACE),{ $(GO_TEST) -race $(UNWATCHED) -short -run TestPublish ./fleet && $(GO_TEST) -race $(UNWATCHED) -short -skip '^($(subst $() ,|,$(strip $(ALONE))))$$' $$($(GO) run ./tools/concurrent); },true)
TEST_QUICK  := $(GO_TEST) -short
TEST_WEB    := ./web/test.sh
TEST_VSCODE := ./vscode-extension/test.sh
TALLY       := $(GO) run ./tools/tally

# The rooms whose wording `make check` holds to its limit.
PLAIN := analysis apk appcode bench cct cmd code comment docs editors eflask energy finding fleet group history ingest instrument internal lines mcp name pipeline preprocess record regression repeats report scripts server settings test tools trace trigger units vscode-extension web

FUZZTIME   ?= 30s
BENCHCOUNT ?= 10
BENCH      ?= .

.DEFAULT_GOAL := build
.PHONY: help build demo test quick deps test-go test-web test-vscode vsix site release check robolectric bench fuzz generate pictures clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## Build bin/diffprof
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/diffprof ./cmd/diffprof

demo: build ## Compare two generated pairs of traces, and profile a run
	@./scripts/demo

# Downloads wait for the network, so they run while Go compiles the packages and their tests. The
# tests in browsers wait most of the time, so they run while Go's do.
test: ## Install the tools that the tests need, and run all tests
	@./scripts/cache ./scripts/deps & installed=$$!; GOGC=400 $(GO) list -export -test ./... >/dev/null; wait $$installed
	@set -o pipefail; browsers=$$(mktemp); { \
		{ ended=0; $(TEST_WEB) || ended=1; $(TEST_VSCODE) || ended=1; echo "tests in browsers ended after $$SECONDS s"; exit $$ended; } >$$browsers 2>&1 & \
		ended=0; $(TEST_GO) || ended=1; echo "tests in Go ended after $$SECONDS s"; \
		$(TEST_RACE) || ended=1; echo "tests with the race detector ended after $$SECONDS s"; \
		wait $$! || ended=1; cat $$browsers; rm $$browsers; exit $$ended; \
	} 2>&1 | $(TALLY) -slowest 20

quick: ## Test the packages that changes since BASE (HEAD) can break, or ALL=1, with fewer cases
	@set -o pipefail; packages=$(if $(ALL),./...,$$($(GO) run ./tools/changed $(BASE))); \
	if [ -z "$$packages" ]; then echo "no package changed"; else $(TEST_QUICK) $$packages 2>&1 | $(TALLY) -slowest 5; fi

deps:
	@./scripts/cache ./scripts/deps

test-go: ## Run the tests in Go, then fewer cases with the race detector if there is a C compiler
	@set -o pipefail; { ended=0; $(TEST_GO) || ended=1; $(TEST_RACE) || ended=1; exit $$ended; } 2>&1 | $(TALLY) -slowest 20

test-web: ## Run the tests of the web app, in a browser if there is one
	@set -o pipefail; $(TEST_WEB) 2>&1 | $(TALLY)

site: ## Build the page that compares in the browser: build/site/index.html
	@./web/site/build.sh

release: ## Make all packages of this commit in build/release/, for every platform
	$(GO) run ./tools/release

vsix: ## Build the extension for Visual Studio Code into build/
	@./vscode-extension/build.sh

test-vscode: ## Test the extension in a VS Code in a browser; the first run sets one up
	@set -o pipefail; $(TEST_VSCODE) 2>&1 | $(TALLY)

check: ## Check formatting, vet and staticcheck, then run all tests: a change must pass
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt -w these files:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	GOOS=windows $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./cmd/site
	$(GO) tool staticcheck ./...
	$(GO) run ./tools/plain -most 1.0 -most-strings 1.0 $(PLAIN)
	$(GO) mod verify
	$(GO) mod tidy -diff
	@$(MAKE) --no-print-directory test

robolectric: ## Run a real app on Android's classes before and after instrumenting, and compare
	@./scripts/robolectric/run

bench: ## Run the benchmarks into bench/runs/ and compare with the run before
	@BENCH='$(BENCH)' COUNT='$(BENCHCOUNT)' ./scripts/bench

fuzz: ## Run each fuzz target for FUZZTIME (30s)
	@FUZZTIME='$(FUZZTIME)' ./scripts/fuzz

generate: ## Generate files and goldens again; read the diff before committing
	$(GO) generate ./...

pictures: ## Take the pictures in docs/ again; look at them before committing
	@./scripts/pictures

clean: ## Remove what was built
	rm -rf bin build
