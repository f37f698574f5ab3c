// Writes everything derived from src: the published schemas and their types, generated parts of docs/, and the validators, which
// are not in git. With --check, it writes nothing and fails if a file is outdated.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { compile } from "json-schema-to-typescript";
import { documents } from "./docs/index.mjs";
import { loadSource } from "./load-source.mjs";
import { NOTE, validatorFiles } from "./validators.mjs";

const check = process.argv.includes("--check");

const source = await loadSource(
  'export { desiredStateSchema, guardrailsFileSchema } from "./src/config/schema.ts";',
  'export { planSchema } from "./src/plan/schema.ts";',
  'export { doctorSchema } from "./src/render/doctor-text.ts";',
  'export { kinds } from "./src/kinds/index.ts";',
  'export { commands } from "./src/cli/commands.ts";',
  'export { everywhere, planning, service } from "./src/cli/shared-flags.ts";',
);
const desiredState = source.desiredStateSchema();
const schemas = {
  zoneward: desiredState,
  guardrails: source.guardrailsFileSchema(),
  plan: source.planSchema,
  doctor: source.doctorSchema,
};
const stale = [];
for (const [file, content] of [
  ...Object.entries(schemas).map(([name, schema]) => [
    `schemas/${name}.schema.json`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ]),
  ["src/config/generated/desired-state.ts", await typesOf(desiredState, "DesiredState")],
  ["src/plan/generated/plan-document.ts", await typesOf(source.planSchema, "PlanDocument")],
  ...(check ? [] : validatorFiles(source)),
  ...(await documents(source)),
]) {
  const current = await readFile(file, "utf8").catch(() => null);
  if (current === content) continue;
  stale.push(file);
  if (check) continue;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}
if (check && stale.length > 0) {
  console.error(`Not up to date: ${stale.join(", ")}. Run \`npm run generate\`.`);
  process.exitCode = 1;
} else {
  console.error(stale.length === 0 ? "Generated files are up to date." : `Wrote ${stale.join(", ")}.`);
}

async function typesOf(schema, typeName) {
  const text = await compile(openTypes({ ...schema, title: typeName }), typeName, {
    additionalProperties: false,
    bannerComment: `// ${NOTE}`,
    style: { printWidth: 110 },
    strictIndexSignatures: true,
    unknownAny: true,
  });
  return text.replace(/: (.*\[\];)$/gm, ": readonly $1");
}

/** A schema that allows any value becomes `unknown`. The type generator would make it an object. */
function openTypes(schema) {
  if (Array.isArray(schema)) return schema.map(openTypes);
  if (typeof schema !== "object" || schema === null) return schema;
  const keys = Object.keys(schema);
  if (keys.length === 1 && typeof schema.description === "string") return { ...schema, tsType: "unknown" };
  return Object.fromEntries(keys.map((key) => [key, openTypes(schema[key])]));
}
