#!/bin/sh
# For the Dockerfile. On a base without Node, brings that of the package `node` for the image in /opt/node, and npm for its
# build. Debian's npm is too old for `npm sbom`.
set -eu
mkdir -p /opt/node/bin
if command -v npm > /dev/null; then exit; fi

apt-get update -q
apt-get install -y -q --no-install-recommends npm libatomic1
case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x64 ;; esac
version=$(node -p "require('./package-lock.json').packages['node_modules/node'].version")
npm install --prefix /opt/npm --ignore-scripts "node-linux-$machine@$version" "npm@$1"
cp "/opt/npm/node_modules/node-linux-$machine/bin/node" /opt/node/bin/
ln -s /opt/node/bin/node /opt/npm/node_modules/.bin/npm /opt/npm/node_modules/.bin/npx /usr/local/bin/
