# Rendered by `invoke render` from images/environments.toml and images/templates: edit those.
# torch28-cuda124: PyTorch 2.8.0 / CUDA 12.4 toolkit. The locks are for x86-64 only.
# Behind a TLS-inspecting proxy: docker buildx build --secret id=ca,src=CA.pem .
ARG REGISTRY=""
ARG BASE_IMAGE="nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04"
FROM ${REGISTRY}${BASE_IMAGE}

# Package sources, where the defaults cannot be reached. They must not hold credentials.
ARG APT_MIRROR=""
ARG PIP_INDEX_URL=""
ARG PIP_EXTRA_INDEX_URL=""
ARG UID="1000"

# Distribution packages that the base lacks; a base that has them all needs no mirror.
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \
--mount=type=cache,target=/var/lib/apt/lists,sharing=locked \
--mount=type=secret,id=ca \
    set -eu; \
    missing=""; \
    for package in ca-certificates g++ python3 python3-dev python3-venv; do \
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" \
        || missing="$missing $package"; \
    done; \
    if [ -n "$missing" ]; then \
      if [ -s /run/secrets/ca ]; then \
        cat /etc/ssl/certs/ca-certificates.crt /run/secrets/ca > /tmp/ca.pem 2>/dev/null || true; \
        for name in SSL_CERT_FILE PIP_CERT REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS; do \
          export "$name=/tmp/ca.pem"; \
        done; \
      fi; \
      cp -a /etc/apt /tmp/apt; \
      rm -f /etc/apt/apt.conf.d/docker-clean \
        /etc/apt/sources.list.d/cuda*.list /etc/apt/sources.list.d/nvidia*.list; \
      if [ -n "$APT_MIRROR" ]; then \
        find /etc/apt -name 'sources.list' -o -name '*.list' -o -name '*.sources' \
          | xargs -r sed -i -E "s#https?://[^/ ]+/#${APT_MIRROR%/}/#"; \
      fi; \
      apt="apt-get -o Acquire::Retries=3"; \
      if [ -s /tmp/ca.pem ]; then apt="$apt -o Acquire::https::CaInfo=/tmp/ca.pem"; fi; \
      $apt update; \
      DEBIAN_FRONTEND=noninteractive $apt install -y --no-install-recommends $missing; \
      rm -rf /etc/apt /tmp/ca.pem; mv /tmp/apt /etc/apt; \
    fi; \
    getent passwd "$UID" >/dev/null \
      || useradd --uid "$UID" --user-group --no-create-home --home-dir /tmp torchrig

# The lock that fits the base's Python. uv comes by hash and leaves with this layer.
COPY images/locks/uv.txt images/locks/torch28-cuda124/*.txt /opt/torchrig/locks/
RUN --mount=type=cache,target=/root/.cache/pip,sharing=locked \
--mount=type=cache,target=/root/.cache/uv,sharing=locked \
--mount=type=secret,id=ca \
    set -eu; \
    python="$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"; \
    lock="/opt/torchrig/locks/py$python.txt"; \
    if [ ! -f "$lock" ]; then \
      echo "torchrig: this base has Python $python; torch28-cuda124 needs one of" \
        "3.9, 3.10, 3.11, 3.12, 3.13" >&2; \
      exit 3; \
    fi; \
    if [ -s /run/secrets/ca ]; then \
      cat /etc/ssl/certs/ca-certificates.crt /run/secrets/ca > /tmp/ca.pem 2>/dev/null || true; \
      for name in SSL_CERT_FILE PIP_CERT REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS; do \
        export "$name=/tmp/ca.pem"; \
      done; \
    fi; \
    if [ -z "$PIP_INDEX_URL" ]; then unset PIP_INDEX_URL; \
      else export UV_DEFAULT_INDEX="$PIP_INDEX_URL"; fi; \
    if [ -z "$PIP_EXTRA_INDEX_URL" ]; then unset PIP_EXTRA_INDEX_URL; \
      else export UV_INDEX="$PIP_EXTRA_INDEX_URL" UV_INDEX_STRATEGY=unsafe-best-match; fi; \
    export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_DEFAULT_TIMEOUT=60 \
      UV_HTTP_TIMEOUT=120 UV_LINK_MODE=copy UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never; \
    python3 -m venv /tmp/uv; \
    /tmp/uv/bin/python -m pip install --quiet --require-hashes --only-binary :all: --no-deps \
      -r /opt/torchrig/locks/uv.txt; \
    python3 -m venv --without-pip /opt/venv; \
    /tmp/uv/bin/uv pip sync --python /opt/venv/bin/python --require-hashes --only-binary :all: \
      --compile-bytecode "$lock"; \
    rm -rf /tmp/uv /tmp/ca.pem

ENV PATH="/opt/venv/bin:${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}" \
    PYTHONPATH="/opt/torchrig" \
    PYTHONDONTWRITEBYTECODE="1"

# The kernels, for this environment's GPU architectures where the base has a fitting nvcc.
COPY core /opt/torchrig/core
COPY kernels /opt/torchrig/kernels
RUN TORCH_CUDA_ARCH_LIST="7.0 7.5 8.0 8.6 8.9 9.0+PTX" \
    python -m kernels build --out /opt/torchrig/kernels/_build

# What the environment claims to be, on the base it really has; then the code that changes most.
ARG REGISTRY
ARG BASE_IMAGE
COPY images/locks/torch28-cuda124/*.json /opt/torchrig/locks/
RUN python="$(python -c 'import sys; print("%d.%d" % sys.version_info[:2])')" \
    && sed "s#^  \"base\": .*#  \"base\": \"${REGISTRY}${BASE_IMAGE}\",#" \
      "/opt/torchrig/locks/py$python.json" > /opt/torchrig/environment.json
COPY envcheck /opt/torchrig/envcheck
COPY workloads /opt/torchrig/workloads

ENV TORCHRIG_ENVIRONMENT="/opt/torchrig/environment.json" \
    HOME="/tmp"
ARG BASE_ID=""
ARG INPUT_HASH=""
LABEL org.opencontainers.image.title="PyTorch 2.8.0 / CUDA 12.4 toolkit" \
      org.opencontainers.image.version="2.8.0" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="${REGISTRY}${BASE_IMAGE}" \
      io.torchrig.environment="torch28-cuda124" \
      io.torchrig.base-id="${BASE_ID}" \
      io.torchrig.input-hash="${INPUT_HASH}"
USER ${UID}
WORKDIR /opt/torchrig
CMD ["python", "-m", "envcheck"]
