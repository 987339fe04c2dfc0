# The server image, and with `--target programs` the base image of its programs. Build both in the root of a checkout:
#
#   docker build -f deploy/server.Dockerfile --target programs -t timeloom-base:bookworm .
#   docker build -f deploy/server.Dockerfile -t timeloom-server .
#
# NODE is any Debian with Node >= 22.19 and npm.
ARG NODE=node:24.21.0-bookworm-slim

# Python and its libraries, as deploy/images/make-base-image.mjs installs them without a registry.
FROM ${NODE} AS programs
COPY deploy/images/base-image.mjs deploy/images/debian-libraries.mjs /usr/local/share/timeloom/
RUN list() { node --input-type=module -e "import { base } from '/usr/local/share/timeloom/base-image.mjs'; console.log(base.$1.join(' '))"; } \
 && apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-minimal $(list packages) \
 && cd / && rm -rf $(list unneeded) var/lib/apt/lists/*

FROM ${NODE} AS build
WORKDIR /opt/timeloom
COPY package.json package-lock.json ./
COPY runtime/client/package.json runtime/client/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node deploy/build.mjs \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && chmod a+x dist/runtime/cli/main.js

FROM programs AS server
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 timeloom \
 && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home timeloom \
 && install -d -m 0700 -o timeloom -g timeloom /data \
 && install -d /config /bundles \
 && ln -s /opt/timeloom/dist/runtime/cli/main.js /usr/local/bin/timeloom
WORKDIR /opt/timeloom
COPY --from=build /opt/timeloom/package.json /opt/timeloom/LICENSE ./
COPY --from=build /opt/timeloom/node_modules node_modules/
COPY --from=build /opt/timeloom/runtime/client/package.json runtime/client/
COPY --from=build /opt/timeloom/runtime/cli/bundle-template runtime/cli/bundle-template/
COPY --from=build /opt/timeloom/bundles bundles/
COPY --from=build /opt/timeloom/executor executor/
COPY --from=build /opt/timeloom/deploy/images/*.Dockerfile deploy/images/
COPY --from=build /opt/timeloom/dist dist/
ENV TIMELOOM_HOST=0.0.0.0 \
    TIMELOOM_AUTH=jwt \
    TIMELOOM_CONFIG_DIR=/config \
    TIMELOOM_DATA_DIR=/data
VOLUME /data
EXPOSE 3000
USER 10001:10001
# A separate worker has no port: run it with --no-healthcheck.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TIMELOOM_PORT || 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["timeloom"]
CMD ["serve"]
