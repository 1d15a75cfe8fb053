#!/usr/bin/env bash
# Start Docker Engine if none answers, and wait until it does.
set -euo pipefail
docker info > /dev/null 2>&1 && exit 0
pkill -x dockerd 2> /dev/null || true
pkill -x containerd 2> /dev/null || true
rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid
setsid dockerd > /tmp/torchrig-dockerd.log 2>&1 < /dev/null &
for _ in $(seq 120); do
  docker info > /dev/null 2>&1 && exit 0
  sleep 0.5
done
tail -n 30 /tmp/torchrig-dockerd.log >&2
echo "Docker Engine did not start within a minute" >&2
exit 1
