.PHONY: bench bench-test

# The peers' thousand registrations take the compiler some minutes, once.
bench: ## measure this project beside its peers and write benchmarks/RESULTS.md (BENCH_FLAGS for more, see benchmarks/bench)
	@cd benchmarks && programs=$$(mktemp -d) && trap 'rm -rf "$$programs"' EXIT && export GOWORK=off CGO_ENABLED=0 && \
	go build -o "$$programs/" ./programs/... && go build -tags peers -o "$$programs/bench" ./bench && \
	"$$programs/bench" -programs "$$programs" $(BENCH_FLAGS)

bench-test: ## test that every row of the benchmarks does its job
	@cd benchmarks && GOWORK=off go vet ./... && GOWORK=off go test ./...
