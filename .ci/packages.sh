#!/usr/bin/env bash
# Docker Engine, debootstrap, Chromium and the buildx plug-in from Debian's packages. Debian 12 has no buildx
# package, so the plug-in is unpacked from Debian 13's, which also drives the older engine.
set -euo pipefail
apt-get update -qq
apt-get install -y -qq --no-install-recommends \
  docker.io debootstrap iptables ca-certificates make gcc g++ chromium > /dev/null
docker buildx version > /dev/null 2>&1 && exit 0
if apt-get install -y -qq docker-buildx > /dev/null 2>&1; then exit 0; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/lists/partial
mirror=$({ grep -rhoE 'https?://[^ ]+/debian/?$' /etc/apt/sources.list /etc/apt/sources.list.d || true; } | head -n1)
[ -n "$mirror" ] || { echo "no Debian mirror in the apt sources" >&2; exit 1; }
key=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$key] $mirror trixie main" > "$work/trixie.list"
apt=(-o "Dir::Etc::sourcelist=$work/trixie.list" -o Dir::Etc::sourceparts=-
     -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root)
apt-get "${apt[@]}" update -qq
(cd "$work" && apt-get "${apt[@]}" download -qq docker-buildx)
dpkg -x "$work"/docker-buildx*.deb "$work/root"
plugin=$(find "$work/root" -name docker-buildx -type f | head -n1)
install -D -m 755 "$plugin" /usr/local/lib/docker/cli-plugins/docker-buildx
