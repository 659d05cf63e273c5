# Production dependencies only; nothing is compiled, so the same stage serves every architecture.
FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY deploy/node-runtime/package.json deploy/node-runtime/package.json
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules node_modules
# With a picture that MAP_IMAGE names, where the host put one beside it.
COPY package.json map.* ./
COPY commands commands
COPY deploy/register.ts deploy/store.ts deploy/store-tool.ts deploy/backups.ts deploy/restore.ts deploy/prove-secret.ts deploy/rewind-store.ts deploy/preflight.mjs deploy/health.sh deploy/
COPY src src
# The sandbox is for trying and testing; a bot that is deployed carries no emulator.
RUN rm -rf src/sandbox && mkdir data backups && chown node:node data backups
USER node
VOLUME /app/data
EXPOSE 9464
HEALTHCHECK --interval=30s --timeout=3s --start-period=60s CMD ["bash", "deploy/health.sh"]
# node itself is process 1: npm would not pass SIGTERM on, and the ordered stop would never run. The main heap may have half of
# the container; its threads, sqlite and what is read need the rest.
CMD ["node", "--max-old-space-size-percentage=50", "src/main.ts"]
