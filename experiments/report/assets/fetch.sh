#!/bin/sh
# Fetches ECharts from npm by version, checks it against its SHA-256 and packs it for embedding.
# Run it in this directory when the version changes; the packed file is part of the source, so
# building cascadesim needs neither npm nor a network.
set -eu

version=6.1.0
want=b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm pack --silent "echarts@$version" >/dev/null
tar xzf "echarts-$version.tgz"

got=$(sha256sum package/dist/echarts.min.js | cut -d ' ' -f 1)
if [ "$got" != "$want" ]; then
	echo "echarts.min.js of $version has SHA-256 $got, want $want" >&2
	exit 1
fi

# -n leaves the time of packing out, so that the same input gives the same file.
gzip -9 -n -c package/dist/echarts.min.js >"$here/echarts.min.js.gz"
mkdir -p "$here/third_party"
cp package/LICENSE "$here/third_party/echarts-LICENSE"
cp package/NOTICE "$here/third_party/echarts-NOTICE"
cp package/licenses/LICENSE-d3 "$here/third_party/echarts-LICENSE-d3"

# ECharts has zrender compiled in, which has a licence of its own.
zrender=$(sed -n 's/.*"zrender": "\(.*\)".*/\1/p' package/package.json)
mkdir zrender && cd zrender
npm pack --silent "zrender@$zrender" >/dev/null
tar xzf "zrender-$zrender.tgz"
cp package/LICENSE "$here/third_party/zrender-LICENSE"
