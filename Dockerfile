# zoneward in an image without a shell: Node, the program, and the certificates of the base. It runs as nobody in
# particular, and writes only below the working directory (journals and locks of an apply), so that its root can be
# read-only. There is no git in it: --base takes a folder there.
#
#   docker build -t zoneward .
#   docker run --rm --read-only -v "$PWD:/work:ro" -e CLOUDFLARE_API_TOKEN zoneward plan

FROM node:24.11.1-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs

FROM gcr.io/distroless/nodejs24-debian12:nonroot
COPY --from=build /src/package.json /src/dist/cli.js /src/dist/THIRD-PARTY-LICENSES.txt /zoneward/
COPY --from=build /src/dist/chunks /zoneward/chunks
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/nodejs/bin/node", "/zoneward/cli.js"]
