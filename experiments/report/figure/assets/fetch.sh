#!/bin/sh
# Fetches resvg from npm by version, checks it against its SHA-256 and packs it for embedding. Its
# host functions (host.go) belong to this version.
set -eu

version=2.6.2
want=22bf6e9f9a100d972da0411a69c5ba504367fc1fa87b3b64e3f35e53926d2d70

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm pack --silent "@resvg/resvg-wasm@$version" >/dev/null
tar xzf "resvg-resvg-wasm-$version.tgz"

got=$(sha256sum package/index_bg.wasm | cut -d ' ' -f 1)
if [ "$got" != "$want" ]; then
	echo "index_bg.wasm of $version has SHA-256 $got, want $want" >&2
	exit 1
fi

# -n leaves the time of packing out, so that the same input gives the same file.
gzip -9 -n -c package/index_bg.wasm >"$here/resvg.wasm.gz"
