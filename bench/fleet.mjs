import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const POLICIES = 10;

/** Zones in each written-out file, because a file has a size limit. */
const ZONES_PER_FILE = 1000;

/**
 * Writes the live state of `size` zones with ten policies each, and desired states for it: from a template, written out zone by
 * zone, of the first zone only, and without zones. Every tenth zone has drift in one policy.
 */
export async function writeFleet(folder, size) {
  const zones = Array.from({ length: size }, (_, index) => ({
    name: `shop-${String(index).padStart(4, "0")}.example.com`,
    id: index.toString(16).padStart(32, "0"),
    drifted: index % 10 === 9,
  }));
  const files = {
    live: path.join(folder, `live-${size}.json`),
    template: path.join(folder, `template-${size}.yaml`),
    written: path.join(folder, `written-${size}`),
    one: path.join(folder, "one.yaml"),
    empty: path.join(folder, "empty.yaml"),
  };
  await writeFile(files.live, JSON.stringify({ zones: Object.fromEntries(zones.map(liveZone)) }));
  await writeFile(files.template, templateFile(zones));
  await writeFile(files.one, templateFile(zones.slice(0, 1)));
  await mkdir(files.written);
  for (let start = 0; start < size; start += ZONES_PER_FILE) {
    const part = zones.slice(start, start + ZONES_PER_FILE);
    await writeFile(path.join(files.written, `from-${start}.yaml`), writtenFile(part));
  }
  await writeFile(files.empty, "version: 1\n");
  return files;
}

const policies = Array.from({ length: POLICIES }, (_, index) => ({
  description: `Area ${index}`,
  action: index % 2 === 0 ? "log" : "allow",
  expression: `starts_with(http.request.uri.path, "/area-${index}/") and not http.host contains "internal"`,
  directives: {
    "script-src": [
      "'self'",
      `cdn-${index}.example.net`,
      "https://js.payments.example/v3/",
      "*.analytics.example",
    ],
    "connect-src": ["'self'", `api-${index}.example.net`, "wss://live.example.net"],
    "img-src": ["'self'", "data:", "*.images.example"],
  },
}));

function liveZone({ name, id, drifted }) {
  const live = policies.map(({ description, action, expression, directives }, index) => {
    const byHand = drifted && index === 3 ? " by-hand.example.net" : "";
    return { description, action, expression, enabled: true, value: cspOf(directives) + byHand };
  });
  return [name, { id, settings: { enabled: true }, policies: live }];
}

function cspOf(directives) {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}

function templateFile(zones) {
  const own = zones.map(({ name, id }) => `  ${name}:\n    id: "${id}"\n    extends: [shop]\n`);
  return `version: 1\ntemplates:\n  shop:\n${body()}zones:\n${own.join("")}`;
}

function writtenFile(zones) {
  const own = zones.map(({ name, id }) => `  ${name}:\n    id: "${id}"\n${body()}`);
  return `version: 1\nzones:\n${own.join("")}`;
}

function body() {
  return `    settings:\n      enabled: true\n    policies:\n${policies.map(policyText).join("")}`;
}

function policyText({ description, action, expression, directives }) {
  const value = Object.entries(directives).map(
    ([name, sources]) =>
      `          ${name}: [${sources.map((source) => JSON.stringify(source)).join(", ")}]\n`,
  );
  return `      - description: ${description}
        action: ${action}
        expression: ${expression}
        value:
${value.join("")}`;
}
