# Everything here works in a fresh clone on a machine with Go, git and make.

GO ?= go
export CGO_ENABLED ?= 0
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1.0)

.PHONY: build install setup test test-ollama figures tables tables-runners tables-guards tables-apps costs bench-apps bench-browser fuzz demo demo-unplugged vet clean

build: ## the binary, bin/git-agent
	$(GO) build -buildvcs=false -tags urfave_cli_no_docs -ldflags "-s -w -X main.version=$(VERSION)" -o bin/git-agent ./cmd/git-agent

install: build ## binary and man page below PREFIX (default ~/.local)
	sh scripts/install.sh

setup: ## what the tests need: a Chromium
	sh scripts/setup.sh

vet: ## also for the systems that only compile so far
	$(GO) vet ./...
	$(GO) vet -tags ollama ./internal/model/...
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...

test: setup ## every test but the one against the real Ollama
	$(GO) vet ./...
	$(GO) test -timeout 20m ./...

test-ollama: ## the client against the real Ollama server, built from source at first
	sh scripts/ollama/test.sh

figures: build setup ## the measured promises, each beside its bound
	GIT_AGENT_FIGURES=1 $(GO) test -count=1 -v -run 'TestFigures' ./cmd/git-agent

tables: tables-runners tables-guards tables-apps ## all of the big tables

tables-runners: setup ## every known cheat in tests, pages and servers beside an honest twin
	GIT_AGENT_TABLES=1 $(GO) test -count=1 -timeout 30m -v -run 'TestTables' ./internal/verify

tables-guards: ## attacks on the rules beside innocent commits; long histories
	GIT_AGENT_TABLES=1 $(GO) test -count=1 -timeout 30m -v -run 'TestTable' ./hooks

tables-apps: setup ## small apps, right and wrong
	GIT_AGENT_TABLES=1 $(GO) test -count=1 -timeout 60m -v -run 'TestApps' ./bench

costs: setup ## what runners and hooks cost beside the runner alone and other hook managers, on real projects
	GIT_AGENT_TABLES=1 $(GO) test -count=1 -timeout 30m -v -run 'TestRealProjects' ./internal/verify
	GIT_AGENT_TABLES=1 $(GO) test -count=1 -timeout 30m -v -run 'TestTableHook' ./cmd/git-agent

bench-apps: build setup ## MODEL=name of a running Ollama builds the suite's apps, with the loop and without it
	$(GO) run ./bench/run -model "$(MODEL)" -git-agent bin/git-agent $(BENCH)

bench-browser: setup ## the page driver beside playwright-core and the Playwright MCP server (node, npm, network)
	scripts/bench-browser.sh

fuzz: ## each fuzz test for a short while
	sh scripts/fuzz.sh

demo: build setup ## the main job in a temporary repository; MODEL=name uses a running Ollama
	sh demo/demo.sh $(MODEL)

demo-unplugged: build setup ## the demo without a network, as root and as an ordinary user
	sh scripts/demo-unplugged.sh

clean:
	rm -rf bin
