.PHONY: docs

# "make test" fails where a page is out of date; this writes it. The second run shows that the commands in the pages say what they say.
# The pages lie outside the module of the examples, where Go's cache of test results does not look: run it after every change of a page.
docs: ## write what the documentation takes from the code, and run its commands
	@echo "== docs"
	@cd examples && go test . -count=1 -update -run 'README|Docs|Reference' && go test . -count=1
