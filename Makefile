# What a developer or a build machine runs. The program itself needs only Go:
#   go install ./cmd/cascadesim
#
#   make setup     install what the tests need and is missing (Debian packages)
#   make test      everything that a change must pass
#   make test-all  the same with many more seeds, all variants and long fuzzing
#   make dist      the program with its manual pages and completions, in dist/
#   make profile   what make build and make dist optimise the program for
#   make golden    rewrite the files that tests compare with; read the diff before committing
#   make docs      rewrite the pages that the program writes
#   make bench     what an event costs, beside other simulators, and what worlds cost
#   make micro     what the parts of it cost
#   make performance   the page of docs that says so, measured here

# How much the tests that scale run: empty for each change, all for a night, exact for a machine on
# which only what is compared to the bit is looked at again.
export CASCADESIM_SIZE ?=

GO ?= go
CHECKED = ./...
# Packages with goroutines, which the race detector is for; the others may have none, which
# cmd/cascadesim/tidy_test.go sees to. Scripts that show one run, or refuse to begin, share no work
# that those of run, check and sweep do not. Of the self-test only what shares work is run: the rest is
# the same on one goroutine, and ten times slower here; and what simulates sweeps by drawn values is
# left out, which is one goroutine too.
ALONE = TestScripts/(all-at-once|chart|explain|hostile|lint|mistakes|recorded|report|trace)$$|Rarely|AtAnyLook|TestThousandsOfPoints
CONCURRENT = ./experiments ./experiments/sweep ./experiments/engine ./cmd/...
# Packages whose results must not depend on the machine, beside the model's own fingerprints.
PORTABLE = ./sim/... ./policies/...
# Packages that build for the browser with the standard library alone.
BROWSER = ./sim/... ./policies/... ./model ./model/internal/kernel ./model/check
STATICCHECK = $(GO) tool -modfile=.ci/tools.mod staticcheck

# Debian packages beside Go: a program or a file that must be there, then the package that has it.
NEEDS = qemu-aarch64:qemu-user gcc:gcc git:git chromium:chromium \
	/usr/bin/jupyter-execute:python3-nbclient \
	/usr/share/jupyter/kernels/python3/kernel.json:python3-ipykernel
FUZZTIME = 60s

# Where worlds spend their time; with it the compiler's work takes a minute more, and runs 6 to 12 %
# less. Under this name go run and go test do not look for it: they are used for short runs.
PROFILE = cmd/cascadesim/cascadesim.pgo

.PHONY: build dist profile setup test test-all checks static unit race arm64 v3 wasm oracles fuzz golden docs bench \
	micro performance clean

build:
	$(GO) build -pgo $(PROFILE) -o cascadesim ./cmd/cascadesim

# dist lies as below /usr/local: cp -r dist/* /usr/local
dist:
	rm -rf dist
	mkdir -p dist/share/bash-completion/completions dist/share/zsh/site-functions \
		dist/share/fish/vendor_completions.d
	$(GO) build -trimpath -pgo $(PROFILE) -o dist/bin/cascadesim ./cmd/cascadesim
	dist/bin/cascadesim man dist/share/man/man1
	dist/bin/cascadesim completion bash >dist/share/bash-completion/completions/cascadesim
	dist/bin/cascadesim completion zsh >dist/share/zsh/site-functions/_cascadesim
	dist/bin/cascadesim completion fish >dist/share/fish/vendor_completions.d/cascadesim.fish

PEERS = sim/testdata/peers
profile:
	rm -rf out/profile && mkdir -p out/profile
	$(GO) build -trimpath -o out/profile/plain ./cmd/cascadesim
	out/profile/plain run github-2026-08-17 --scale 1/400 --cpuprofile out/profile/replay >/dev/null
	out/profile/plain run hotos21 --cpuprofile out/profile/hotos21 >/dev/null
	out/profile/plain run two-tier/outage --cpuprofile out/profile/two-tier >/dev/null
	out/profile/plain run $(PEERS)/station.yaml --set duration=60m --cpuprofile out/profile/station >/dev/null
	out/profile/plain run $(PEERS)/chain.yaml --set duration=60s --cpuprofile out/profile/chain >/dev/null
	out/profile/plain run $(PEERS)/chain.yaml --variant storm --set duration=8s --cpuprofile out/profile/storm >/dev/null
	rm out/profile/plain
	$(GO) tool pprof -proto out/profile/* >$(PROFILE)
	rm -r out/profile

# setup says nothing when nothing is missing.
setup:
	@missing=""; \
	for need in $(NEEDS); do \
		command -v "$${need%%:*}" >/dev/null || [ -e "$${need%%:*}" ] || \
			missing="$$missing $${need##*:}"; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	root=""; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	install="apt-get update -qq && $$root apt-get install -y -qq --no-install-recommends$$missing"; \
	echo "installing$$missing"; \
	command -v apt-get >/dev/null && \
	DEBIAN_FRONTEND=noninteractive sh -c "$$root $$install >/dev/null" || \
	{ echo "could not install:$$missing; run as root:" >&2; \
	  echo "  apt-get update && apt-get install -y$$missing" >&2; exit 1; }
	@command -v promtool >/dev/null || { \
	root=""; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	echo "taking promtool out of the package prometheus, whose installation starts a server"; \
	at=$$(mktemp -d) && cd "$$at" && $$root apt-get update -qq >/dev/null && \
	apt-get download -qq prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb . && \
	$$root install usr/bin/promtool /usr/local/bin/ && rm -rf "$$at" || \
	{ echo "could not; run as root: apt-get update && apt-get install -y prometheus" >&2; exit 1; }; }

# The cheap checks come first, so that a mistake is told of early; go test comes last, so that what
# it says of each package ends the output.
test: checks unit

test-all: export CASCADESIM_SIZE = all
test-all: checks unit fuzz

# Most of these keep one processor busy, so two run at a time.
checks:
	@$(MAKE) --no-print-directory -j2 --output-sync=target static wasm race arm64 v3 oracles

static:
	@unformatted="$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)"; \
	[ -z "$$unformatted" ] || { echo "not formatted by gofmt:" $$unformatted >&2; exit 1; }
	$(GO) vet $(CHECKED) ./sim/testdata/peers/run
	$(STATICCHECK) $(CHECKED)

# The package that takes longest comes first, so that the others share the rest of the time.
unit:
	$(GO) test -timeout 60m ./topologies $(CHECKED)

race:
	$(GO) test -race -timeout 60m -skip '$(ALONE)' $(CONCURRENT)
	$(GO) test -race -timeout 60m -run Workers ./experiments/selftest

# A processor that fuses multiplications and additions, emulated: the same goldens must come out.
# The worlds that ship are run there by model's own tests.
arm64 v3: export CASCADESIM_SIZE := $(or $(CASCADESIM_SIZE),exact)
arm64:
	GOARCH=arm64 CGO_ENABLED=0 $(GO) test -exec qemu-aarch64 -timeout 60m -skip TestNoFusedOperations $(PORTABLE)

v3:
	GOAMD64=v3 $(GO) test -timeout 60m -skip TestNoFusedOperations $(PORTABLE)

wasm:
	GOOS=js GOARCH=wasm $(GO) build $(BROWSER)

# The genuine implementations of what policies imitate, in a module of its own.
oracles:
	cd policies/oracles && $(GO) vet ./... && $(GO) test -timeout 60m ./...

# fuzz runs each fuzz test for a while, one after the other.
fuzz:
	@for file in $$(grep -rl '^func Fuzz' --include='*_test.go' .); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z]*\)(.*/\1/p' $$file); do \
			$(GO) test -fuzz "^$$name$$" -fuzztime $(FUZZTIME) $$(dirname $$file) || exit 1; \
		done; \
	done

golden:
	$(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | xargs dirname | sort -u) -update

docs:
	$(GO) test ./docs -update

# How often bench runs everything, in turn.
ROUNDS = 3

# bench times the engine beside others that do the same work, then worlds that the program runs. It
# says what it lacks: apt-get install g++ libns3-dev python3-simpy3.
bench:
	@$(GO) run ./sim/testdata/peers/run $(ROUNDS)

# micro shows processor time for each event, call and so on of the packages.
micro:
	$(GO) test -run '^$$' -bench 'Hold/(1000|100000|1000000)$$|Lanes|Station' ./sim
	$(GO) test -run '^$$' -bench . ./sim/stats ./model/... ./policies ./cmd/... ./experiments/engine

# The least of five runs: what else the machine did only adds.
performance:
	cat docs/heads/performance.md >docs/performance.md.new
	$(MAKE) --no-print-directory bench >>docs/performance.md.new
	cat docs/heads/performance-where.md >>docs/performance.md.new
	$(GO) test -run '^$$' -bench '^BenchmarkAsk$$' -benchtime 0.2s -count 5 ./policies | \
		awk -v go="$$($(GO) env GOVERSION)" -f docs/performance.awk docs/heads/performance-policies.md - \
		>>docs/performance.md.new
	mv docs/performance.md.new docs/performance.md

clean:
	rm -rf cascadesim dist out
