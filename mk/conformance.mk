.PHONY: conformance conformance-ci

conformance: ## the official MCP suite, the Inspector and the TypeScript SDK against examples/conformance (needs npm)
	@examples/conformance/run

conformance-ci: ## the same, but succeed and say so where npm cannot install what it needs
	@examples/conformance/run --if-possible
