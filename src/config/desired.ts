import { FIELD_TYPES } from "../kinds/expression.js";
import { kinds } from "../kinds/index.js";
import { type Acceptance, acceptingNothing, isOfText } from "../model/acceptance.js";
import { quoted } from "../model/cut.js";
import type { Service } from "../model/declared-zone.js";
import { renewSuggestions } from "../model/did-you-mean.js";
import { FORBIDDABLE, type Guardrails } from "../model/guardrails.js";
import { type Path, pointerOf } from "../model/item.js";
import { equal, isList, isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import { limitNames } from "../model/limits.js";
import {
  failed,
  hasErrors,
  ok,
  type Problem,
  problem,
  type Result,
  type Span,
  warning,
} from "../model/problem.js";
import { entryAt } from "./acceptances.js";
import { checkZones } from "./check-zones.js";
import type { FileText } from "./files.js";
import { validate } from "./generated/desired-state.validate.js";
import { validate as validateGuardrails } from "./generated/guardrails.validate.js";
import {
  barredBy,
  type Filling,
  interpolate,
  MAX_ZONE_CHARS,
  type Purpose,
  REFERENCE_CHARS,
  Room,
  VALUE_CHARS,
} from "./interpolate.js";
import { checkLayer, type Layer, type Templates } from "./layers.js";
import { valueAt } from "./place.js";
import { defaultService } from "./schema.js";
import { checkShape, outOfPlace } from "./schema-errors.js";
import { type Environment, type SecretVariable, secretVariables } from "./secret-variables.js";
import { parsedFile, parseSource, type SourceFile, valuesIn } from "./source.js";
import { DeclaredZone, defaultsOf, zoneName } from "./zone.js";
import { namesItsZone } from "./zone-vars.js";

/** The whole desired state. The templates of a zone are merged when the zone is opened. */
export interface Desired {
  readonly zones: readonly DeclaredZone[];
  readonly guardrails: Guardrails;
  readonly service: Service;
  /** The place of a section that all files share. Null: no file has it. */
  at(section: "guardrails" | "service"): Span | null;
}

/** What the files say. */
interface ReadFiles {
  readonly desired: Desired | null;
  /** Read as far as possible, whatever else is wrong. */
  readonly guardrails: Guardrails;
  /** Warnings that comments in the files accept. */
  readonly acceptances: readonly Acceptance[];
  readonly problems: readonly Problem[];
  /** The text of a warning and its entry. Equal before and after a change that leaves both alone. */
  readonly warningKey: (warning: Problem) => string;
}

/** More than anyone reads. A hostile file can have a million problems. */
const MAX_PROBLEMS = 10_000;

/**
 * Reads the desired state from files. All problems come out together. With an error among them there is no desired state.
 *
 * @param environment answers `${env:…}` and `${secret:…}`
 * @param baseSecrets variables that are secret in the files before the change
 * @param now when the base is read: the desired state after the change, which has no errors
 */
export function desiredFrom(
  files: readonly FileText[],
  environment: Environment,
  purpose: Purpose = "plan",
  baseSecrets: readonly SecretVariable[] = [],
  now: Desired | null = null,
): ReadFiles {
  renewSuggestions();
  const barred = barredBy([...secretVariables(files, environment), ...baseSecrets], environment);
  const filling = { environment, purpose, barred, room: new Room() };
  const readFiles = files.map((file) => readSource(file, filling));
  const sources = readFiles.flatMap(({ source }) => (source === null ? [] : [source]));
  const fileProblems = readFiles.flatMap(({ problems }) => problems);
  const problems: Problem[] = [];
  const acceptances = sources.flatMap((source) => source.acceptances);
  const warningKey = ({ code, detail, at }: Problem) => {
    const source = sources.find(({ file }) => file === at?.file);
    const entry = source === undefined || at === null ? null : entryAt(source.written, at.pointer);
    return JSON.stringify([code, detail, at?.file, entry]);
  };
  const templates = collectTemplates(sources, problems);
  const guardrails = guardrailsOf(onlyOne("guardrails", sources, problems));
  const service = serviceOf(onlyOne("service", sources, problems));
  const declared = collectZones(sources, templates, problems);
  const unchanged = now === null || !equal(service, now.service) ? NO_ZONES : zonesByName(now);
  const zones = declared.map((zone) => zone.reusing(unchanged.get(zone.name)));
  const bodies = sources.flatMap(bodiesOf);
  const all = [
    fileProblems,
    problems,
    bodies.flatMap(checkLayer),
    checkZones(
      fitMerged(declared, filling.room) ? zones : [],
      bodies,
      templates,
      service,
      fileProblems.filter(({ code }) => code !== "duplicate_key"),
      purpose,
      new Set(declared.filter((zone, index) => zone !== zones[index]).map(({ name }) => name)),
    ),
  ].flat();
  if (zones.length === 0 && !hasErrors(all)) all.push(noZones(sources));
  // With an error, warnings are missing, so acceptances may look unused.
  const unused = hasErrors(all) ? [] : acceptingNothing(acceptances.filter(isOfText), all, "files");
  for (const problem of unused) all.push(problem);
  // Text that was not filled in is not the desired state, so nothing else is reported about it.
  if (filling.room.full !== null)
    return {
      desired: null,
      guardrails,
      acceptances,
      problems: [tooMuchText(filling.room.full)],
      warningKey,
    };
  const at = (section: string) => {
    const source = sources.find(({ value }) => isObject(value) && Object.hasOwn(value, section));
    return source?.span([section], "key") ?? null;
  };
  return {
    desired: hasErrors(all) ? null : { zones, guardrails, service, at },
    guardrails,
    acceptances,
    problems: atMost(inFileOrder(distinct(all), files)),
    warningKey,
  };
}

/** Whether there is room for all zones with their templates merged. Zones share the texts of their templates. */
function fitMerged(zones: readonly DeclaredZone[], room: Room): boolean {
  const sizes = new Map<JsonObject, number>();
  const sizeOf = (body: JsonObject) => {
    const size = sizes.get(body) ?? VALUE_CHARS * valuesIn(body);
    sizes.set(body, size);
    return size;
  };
  return zones.every((zone) => zone.layers().every(({ body }) => room.take(sizeOf(body), () => zone.at())));
}

const NO_ZONES: ReadonlyMap<string, DeclaredZone> = new Map();

function zonesByName({ zones }: Desired): ReadonlyMap<string, DeclaredZone> {
  return new Map(zones.map((zone) => [zone.name, zone]));
}

/** Checks one file by itself. Null: the file cannot be read at all. */
function readSource(
  file: FileText,
  filling: Filling,
): { readonly source: SourceFile | null; readonly problems: readonly Problem[] } {
  const parsed = parsedFile(file);
  if (!parsed.ok) return { source: null, problems: parsed.problems };
  const written = parsed.value;
  if (isSavedPlan(written.value)) return { source: null, problems: [savedPlan(written)] };
  const perZone = new Set<string>();
  // Bodies that name their zone are filled in and checked for each zone.
  const shared = mapBodies(written.value, (body, base) => {
    if (!namesItsZone(body)) return body;
    perZone.add(pointerOf(base));
    return {};
  });
  const filled = interpolate(shared, [], filling, null, written.span);
  const source: SourceFile = {
    ...withFilled(written, filled),
    value: mapBodies(filled.value, (body, base) =>
      perZone.has(pointerOf(base)) ? (valueAt(written.value, base) ?? body) : body,
    ),
    perZone,
    fill: (value, at, zone) => {
      if (filling.room.full !== null) return null;
      const part = interpolate(value, at, filling, zone, written.span);
      const { problems, usedVars } = part;
      return { value: part.value, source: withFilled(source, part, written.span), problems, usedVars };
    },
  };
  const unfilled = new Set(filled.problems.map(({ at }) => at?.pointer));
  const shape = checkShape(source, filled.value, validate).filter(({ at }) => !unfilled.has(at?.pointer));
  return { source, problems: [...written.problems, ...filled.problems, ...shape] };
}

function isSavedPlan(value: Json): boolean {
  return isObject(value) && ["format_version", "digest", "calls"].every((key) => Object.hasOwn(value, key));
}

function savedPlan({ file, span }: SourceFile): Problem {
  const detail = `Apply it with zoneward apply ${file}, or show it with zoneward show ${file}.`;
  return problem("foreign_file", "A saved plan, not a desired-state file", detail, span([], "value"));
}

function withFilled(
  source: SourceFile,
  { outside, declaredOffset }: ReturnType<typeof interpolate>,
  span = source.span,
): SourceFile {
  return {
    ...source,
    outside,
    span: (path, part, offset) =>
      span(path, part, offset === undefined ? offset : declaredOffset(path, offset)),
  };
}

/** Maps the defaults, the templates, the zones and the tests of a file. */
function mapBodies(value: Json, change: (body: JsonObject, base: Path) => Json): Json {
  if (!isObject(value)) return value;
  const changed = (key: string, part: Json): Json => {
    // Tests at the top of a file are a body of their own.
    if (key === "tests" && isList(part)) {
      const body = change({ tests: part }, []);
      return (isObject(body) ? body.tests : undefined) ?? [];
    }
    if (!isObject(part)) return part;
    if (key === "defaults") return change(part, [key]);
    if (key !== "templates" && key !== "zones") return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, body]) => [name, isObject(body) ? change(body, [key, name]) : body]),
    );
  };
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, changed(key, part)]));
}

function section(source: SourceFile, key: string): JsonObject {
  const value = isObject(source.value) ? source.value[key] : undefined;
  return isObject(value) ? value : {};
}

function bodiesOf(source: SourceFile): readonly Layer[] {
  const defaults = defaultsOf(source);
  const named = (key: string) =>
    Object.entries(section(source, key)).flatMap(([name, body]) =>
      isObject(body) ? [{ source, base: [key, name], body }] : [],
    );
  return [...(defaults === null ? [] : [defaults]), ...named("templates"), ...named("zones")];
}

function collectTemplates(sources: readonly SourceFile[], problems: Problem[]): Templates {
  const templates = new Map<string, Layer>();
  for (const source of sources) {
    for (const [name, body] of Object.entries(section(source, "templates"))) {
      const base = ["templates", name];
      const earlier = templates.get(name);
      if (earlier !== undefined)
        problems.push(
          duplicate("template", name, source.span(base, "key"), earlier.source.span(earlier.base, "key")),
        );
      else if (isObject(body)) templates.set(name, { source, base, body });
    }
  }
  return templates;
}

function duplicate(sort: string, name: string, at: Span, first: Span): Problem {
  const detail = `It is already declared at ${first.file}:${first.line}:${first.column}. Remove one of the two.`;
  return problem(`duplicate_${sort}`, `Duplicate ${sort} ${quoted(name)}`, detail, at);
}

/** A section that may stand in only one of the files. */
function onlyOne(key: string, sources: readonly SourceFile[], problems: Problem[]): JsonObject {
  const [first, ...repeats] = sources.filter(({ value }) => isObject(value) && Object.hasOwn(value, key));
  if (first === undefined) return {};
  for (const repeat of repeats)
    problems.push(givenTwice(key, repeat.span([key], "key"), first.span([key], "key")));
  return section(first, key);
}

function givenTwice(key: string, at: Span, first: Span): Problem {
  const detail = `${key} also stands at ${first.file}:${first.line}:${first.column}. Keep it in one of the files.`;
  return problem(`duplicate_${key}`, `Duplicate key ${quoted(key)}`, detail, at);
}

function serviceOf({
  limits,
  custom_log_fields,
  extra_csp_directives,
  extra_expression_fields,
}: JsonObject): Service {
  const { per_list } = usableLimits(custom_log_fields);
  return {
    limits: { ...defaultService.limits, ...usableLimits(limits) },
    custom_log_fields: per_list === undefined ? null : { per_list },
    extra_csp_directives: textsIn(extra_csp_directives),
    extra_expression_fields: Object.fromEntries(
      Object.entries(isObject(extra_expression_fields) ? extra_expression_fields : {}).flatMap(
        ([name, type]) => (typeof type === "string" && FIELD_TYPES.includes(type) ? [[name, type]] : []),
      ),
    ),
  };
}

/** Unusable limits are left out: the check of the file's shape reports them. */
function usableLimits(value: Json | undefined): { readonly [name: string]: number } {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, limit]) =>
      typeof limit === "number" && limit >= (COUNTED.has(name) ? 0 : 1) ? [[name, limit]] : [],
    ),
  );
}

/** Limits on the number of objects may be 0: the zone's Cloudflare plan has none of them. */
const COUNTED: ReadonlySet<string> = new Set(kinds.map(({ section }) => section));

function collectZones(
  sources: readonly SourceFile[],
  templates: Templates,
  problems: Problem[],
): readonly DeclaredZone[] {
  const zones = new Map<string, DeclaredZone>();
  for (const source of sources) {
    const bodies = Object.entries(section(source, "zones"));
    // Sections beside the zones have one cause: the indentation of the first.
    const [, ...echoes] = bodies.map(([written]) => written).filter((each) => outOfPlace(each) !== null);
    for (const [written, body] of bodies) {
      if (echoes.includes(written)) continue;
      const base = ["zones", written];
      const at = () => source.span(base, "key");
      const name = zoneName(written);
      const earlier = name === null ? undefined : zones.get(name);
      if (name === null) problems.push(badZoneName(written, at()));
      else if (earlier !== undefined) problems.push(duplicate("zone", name, at(), earlier.at()));
      else if (isObject(body)) zones.set(name, new DeclaredZone(name, { source, base, body }, templates));
    }
  }
  return [...zones.values()];
}

function badZoneName(written: string, at: Span): Problem {
  const advice = outOfPlace(written) ?? "Write the name as Cloudflare lists it, such as shop.example.com.";
  const detail = `This is not a domain name. ${advice}`;
  return problem("bad_zone_name", `Invalid zone name ${quoted(written)}`, detail, at);
}

function noZones(sources: readonly SourceFile[]): Problem {
  const at = sources[0]?.span([]) ?? null;
  const detail = "No file declares a zone, so nothing is managed. Add your zones under zones.";
  return warning("no_zones", "No zones", detail, at);
}

function tooMuchText(at: Span): Problem {
  const detail = `With templates merged and \${…} filled in, the zones exceed ${MAX_ZONE_CHARS / 1_000_000} million characters here. Shorten the templates and vars, or split the zones over several runs. Each value counts as ${VALUE_CHARS} characters, and each \${…} as ${REFERENCE_CHARS}.`;
  return problem("too_much_text", "Too much text", detail, at);
}

/** A problem in a template appears in every zone that extends it. Keep it once. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, at, detail }) => {
    const key = JSON.stringify([code, at?.file, at?.line, at?.column, detail]);
    return !seen.has(key) && seen.add(key);
  });
}

function inFileOrder(problems: readonly Problem[], files: readonly FileText[]): readonly Problem[] {
  const ranks = new Map(files.map(({ file }, index) => [file, index]));
  const rank = ({ at }: Problem) => (at === null ? -1 : (ranks.get(at.file) ?? 0));
  return problems.toSorted(
    (a, b) =>
      rank(a) - rank(b) || (a.at?.line ?? 0) - (b.at?.line ?? 0) || (a.at?.column ?? 0) - (b.at?.column ?? 0),
  );
}

function atMost(problems: readonly Problem[]): readonly Problem[] {
  const more = problems.length - MAX_PROBLEMS;
  if (more <= 0) return problems;
  const detail = `${more} more are not shown. Fix these first.`;
  return [...problems.slice(0, MAX_PROBLEMS), problem("more_problems", "Too many problems", detail)];
}

/**
 * Reads a file of guardrails, with the content of `guardrails:`. The person who runs the program names the file, so
 * the environment fills in nothing in it.
 */
export function guardrailsFrom({ file, text }: FileText): Result<Guardrails> {
  const parsed = parseSource(file, text, "Write what apply must refuse, such as forbid: [deletes].");
  if (!parsed.ok) return parsed;
  const shape = checkShape(parsed.value, parsed.value.value, validateGuardrails);
  const problems = [...parsed.value.problems, ...shape];
  return problems.length > 0 ? failed(...problems) : ok(guardrailsOf(parsed.value.value));
}

/** Reads `guardrails:`. Entries of a wrong shape are skipped: the check of the file's shape reports them. */
function guardrailsOf(value: Json | undefined): Guardrails {
  const body = isObject(value) ? value : {};
  const limits = limitNames.flatMap((name) => {
    const limit = body[name];
    return typeof limit === "number" ? [[name, limit] as const] : [];
  });
  const forbidden = textsIn(body.forbid);
  return {
    limits: Object.fromEntries(limits),
    forbid: FORBIDDABLE.filter((name) => forbidden.includes(name)),
    ...(typeof body.evidence_days === "number" ? { evidenceDays: body.evidence_days } : {}),
  };
}
