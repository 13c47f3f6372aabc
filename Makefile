# Everything that is checked or built here goes through a target of this file.
# "make help" lists them; "make check" is what CI runs.

# Modules: every folder with a go.mod. Those outside go.work stand alone.
MODULES      := $(sort $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path './.bin/*' -not -path '*/testdata/*' -not -path '*/node_modules/*')))
OUTSIDE      := ./tools ./benchmarks
WORK_MODULES := $(filter-out $(OUTSIDE),$(MODULES))
CODE_MODULES := $(filter-out ./tools,$(MODULES))

# Tools are built once per set of versions and Go release: a linter built by an
# older Go cannot read what a newer one compiles.
TOOLS_KEY := $(shell { cat tools/go.mod tools/go.sum; go env GOVERSION; } | cksum | cut -d' ' -f1)
BIN       := .bin/$(TOOLS_KEY)
LINT      := $(BIN)/golangci-lint
GOFUMPT   := $(BIN)/gofumpt
VULNCHECK := $(BIN)/govulncheck

# TEST_FLAGS is added to every go test, such as TEST_FLAGS=-count=1.
TEST_FLAGS ?=
FUZZ_TIME  ?= 5s

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help check fmt fmt-check vet lint test agree isolated tidy-check generate generate-check api fuzz-smoke vuln tools clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: fmt-check vet lint test agree isolated tidy-check generate-check ## everything that CI runs; the step that fails is named last
	@echo "== check: every step passed"

fmt: $(LINT) ## format all Go files and order their imports
	@echo "== fmt"
	@$(LINT) fmt

fmt-check: $(LINT) ## fail when a Go file is not formatted (the diff is shown)
	@echo "== fmt-check"
	@$(LINT) fmt --diff || { echo "fmt-check: run 'make fmt'"; exit 1; }

vet: ## go vet, in every module of go.work
	@$(call each,vet,$(WORK_MODULES),go vet ./...)

lint: $(LINT) ## golangci-lint, in every module of go.work
	@$(call each,lint,$(WORK_MODULES),"$(CURDIR)/$(LINT)" run --config "$(CURDIR)/.golangci.yml" ./...)

# The race detector makes the comparison of schema and runtime ten times slower, so
# that "test" runs a tenth of it; this runs all of it, and shows the counts.
agree: ## schema and runtime agree: 200,000 documents, JSONTestSuite, round trips
	@echo "== agree"
	@go test -count=1 -v -run 'Differential|Suite|RoundTrip' ./internal/plan/... ./internal/schema/... > .agree.log || { cat .agree.log; rm .agree.log; exit 1; }
	@grep -E 'documents|disagreements|JSONTestSuite|cases|^ok' .agree.log; rm .agree.log

test: ## race tests of every module of go.work, import rules and exported API among them
	@$(call each,test,$(WORK_MODULES),go test -race $(TEST_FLAGS) ./...)

isolated: ## build and vet every module alone, without go.work
	@$(call each,isolated,$(CODE_MODULES),GOWORK=off go build -o /dev/null ./... && GOWORK=off go vet ./...)

tidy-check: ## fail when a go.mod or go.sum is not tidy (the diff is shown)
	@$(call each,tidy-check,$(MODULES),GOWORK=off go mod tidy -diff)

generate: ## run go generate in every module of go.work
	@$(call each,generate,$(WORK_MODULES),go generate ./...)

# A snapshot before and after, instead of "git diff", so that it also works
# while there are changes that are not committed yet.
generate-check: ## fail when generated files are not up to date
	@before=$$($(snapshot)) && $(MAKE) --no-print-directory generate && after=$$($(snapshot)) && \
	if [ "$$before" != "$$after" ]; then \
		echo "generate-check: files changed; commit what 'make generate' writes:"; git status --short; exit 1; \
	fi

api: ## write the exported API of the root package to testdata/api.txt
	@echo "== api"
	@go test -run '^TestAPI$$' -count=1 . -update

fuzz-smoke: ## run every fuzz target for FUZZ_TIME (5s)
	@tools/fuzz-smoke $(FUZZ_TIME) $(WORK_MODULES)

vuln: $(VULNCHECK) ## look for known vulnerabilities (needs the Go vulnerability database)
	@tools/vuln "$(CURDIR)/$(VULNCHECK)" $(WORK_MODULES)

tools: $(LINT) $(GOFUMPT) $(VULNCHECK) ## build the pinned tools into .bin

clean: ## remove the tools that were built
	rm -rf .bin

$(LINT): PKG = github.com/golangci/golangci-lint/v2/cmd/golangci-lint
$(GOFUMPT): PKG = mvdan.cc/gofumpt
$(VULNCHECK): PKG = golang.org/x/vuln/cmd/govulncheck
$(LINT) $(GOFUMPT) $(VULNCHECK):
	@echo "== tools: building $(@F) (once; golangci-lint takes some minutes)"
	@mkdir -p $(BIN)
	@new="$(CURDIR)/$@.$$$$"; log=$$(cd tools && GOWORK=off nice go build -o "$$new" $(PKG) 2>&1) && mv "$$new" "$(CURDIR)/$@" || { echo "$$log"; exit 1; }

# each names the step and the module, then runs a command in the module's folder.
each = set -e; $(foreach m,$(2),echo "== $(1) $(m)"; (cd $(m) && $(3)) || { echo "$(1): failed in $(m)"; exit 1; };)

# snapshot is one digest of the tracked files and of the names of new ones.
snapshot = { git ls-files -z | xargs -0 cksum; git ls-files --others --exclude-standard; } 2>/dev/null | cksum

# Checks that need more than Go.
-include mk/*.mk
