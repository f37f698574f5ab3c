import { checkBetween } from "../kinds/between/index.js";
import { secretKeys } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { type Finding, isManagedIn, type Kind, listOf } from "../kinds/kind.js";
import { tooLongIn } from "../kinds/service-limits.js";
import { declaredState } from "../kinds/zone-state.js";
import { quoted } from "../model/cut.js";
import type { Declared, Service } from "../model/declared-zone.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { hasCredential } from "../model/looks-secret.js";
import { hasErrors, type Problem, problem, type Span, warning } from "../model/problem.js";
import { rememberedObject } from "../model/remembered.js";
import { budgeted, budgetedFiles } from "../model/work-budget.js";
import { checkIdentities, checkSubjects, isHex, NOT_AN_ID } from "./identities.js";
import type { Purpose } from "./interpolate.js";
import { type Layer, layersOf, locate, mergeLayers, outsideOf, pathIn, type Templates } from "./layers.js";
import { valueAt } from "./place.js";
import { prunedSections } from "./schema.js";
import { noValue } from "./schema-errors.js";
import { UnusedVars } from "./unused-vars.js";
import { type DeclaredZone, declaredIn, type OpenZone } from "./zone.js";
import { isPerZone } from "./zone-layers.js";

/**
 * Checks zones without live state, beyond the shape of their files. Values with known problems are skipped.
 *
 * @param unchanged names of zones that are the same as in a valid desired state
 */
export function checkZones(
  zones: readonly DeclaredZone[],
  bodies: readonly Layer[],
  templates: Templates,
  service: Service,
  fileProblems: readonly Problem[],
  purpose: Purpose,
  unchanged: ReadonlySet<string>,
): readonly Problem[] {
  const places = placesOf(fileProblems);
  const findingsOf = checking(service);
  const reached = new Set<string>();
  const vars = new UnusedVars();
  const idOwners = new Map<string, OpenZone>();
  const checkDeclared = (declared: DeclaredZone) => {
    for (const layer of declared.layers()) reached.add(spotOf(layer));
    if (unchanged.has(declared.name)) return [];
    const zone = declared.open();
    vars.see(zone);
    const zonePlaces = zone.problems.length === 0 ? places : placesOf([...fileProblems, ...zone.problems]);
    return [
      ...zone.problems,
      ...checkZone(zone, findingsOf, zonePlaces),
      ...checkId(zone, idOwners, zonePlaces),
      ...(purpose === "check" && !hasErrors(fileProblems) ? checkAcross(zone) : []),
    ];
  };
  const problems = budgetedFiles(() => zones.flatMap(checkDeclared));
  const unusedBodies = bodies.filter((layer) => layer.base[0] !== "zones" && !reached.has(spotOf(layer)));
  return [
    problems,
    vars.problems(),
    unusedBodies.flatMap((layer) => checkSpare(layer, templates, findingsOf, places)),
  ].flat();
}

/** The place of a layer's body. */
function spotOf({ source, base }: Layer): string {
  return `${source.file} ${pointerOf(base)}`;
}

/** Checks a template that no zone extends, or the defaults of a file without zones, as if a zone extended it. */
function checkSpare(
  layer: Layer,
  templates: Templates,
  findingsOf: FindingsOf,
  places: Places,
): readonly Problem[] {
  const { layers, problems } = layersOf(layer, templates);
  // References to a zone can only be checked with a zone.
  if (layers.some(isPerZone)) return problems;
  const merged = mergeLayers(layers);
  const body: Body = {
    layers,
    merged,
    sections: merged,
    locate: (path, part, offset) => locate(layers, merged, path, part, offset),
    interpolated: (path) => outsideOf(layers, merged, path),
  };
  return [...problems, ...checkObjects(body, findingsOf, places)];
}

type Body = Pick<OpenZone, "layers" | "merged" | "sections" | "locate" | "interpolated">;

function checkZone(zone: OpenZone, findingsOf: FindingsOf, places: Places): readonly Problem[] {
  return [
    ...checkObjects(zone, findingsOf, places),
    ...leftoverNulls(zone.merged)
      .filter((path) => !isInside(zone, path, places) && !hasKeysBeside(zone, path, places))
      .map((path) => leftover(path, zone)),
    ...checkPrune(zone),
    ...checkAccount(zone, places),
  ];
}

function checkObjects(body: Body, findingsOf: FindingsOf, places: Places): readonly Problem[] {
  return kinds.flatMap((kind) => {
    const whole = declaredIn(kind, body.sections);
    const declared = whole.map((object) => usable(object, body, places));
    return [
      ...declared.flatMap((object, index) => [
        ...checkObject(findingsOf(kind, object.body), object, body, object.body === whole[index]?.body),
        ...idleBesideAbsent(kind, object, body),
        ...writtenOut(kind, object, body),
      ]),
      ...checkIdentities(kind, declared, body),
      ...checkSubjects(kind, declared, body),
    ];
  });
}

/** A declared object without the keys that have known problems or that a null removes. */
function usable({ path, body: object }: Declared, body: Body, places: Places): Declared {
  if (!isKnown(body, path, places)) return { path, body: withoutNulls(object) };
  const usableKeys = Object.entries(object).filter(([key]) => !isKnown(body, [...path, key], places));
  return { path, body: withoutNulls(Object.fromEntries(usableKeys)) };
}

/** Removes nulls, and maps with nothing but nulls, which are not empty maps. Without a null it is the same object. */
const withoutNulls: (map: JsonObject) => JsonObject = rememberedObject((map: JsonObject): JsonObject => {
  const kept = Object.entries(map).flatMap(([key, value]): (readonly [string, Json])[] => {
    if (!isObject(value)) return value === null ? [] : [[key, value]];
    const rest = withoutNulls(value);
    return Object.keys(value).length > 0 && Object.keys(rest).length === 0 ? [] : [[key, rest]];
  });
  const isSame = kept.length === Object.keys(map).length && kept.every(([key, value]) => map[key] === value);
  return isSame ? map : Object.fromEntries(kept);
});

/** The problems of a declared object by itself. */
type FindingsOf = (kind: Kind, declared: JsonObject) => readonly Finding[];

/** Zones share the objects of their templates, so each object is checked once. */
function checking(service: Service): FindingsOf {
  const checkOf = rememberedObject((kind: Kind) =>
    rememberedObject((declared: JsonObject) => [
      ...(kind.checks?.declared?.(declared, service) ?? []),
      ...tooLongIn(kind.fields, declared, service),
    ]),
  );
  return (kind, declared) => (declared.ensure === "absent" ? [] : checkOf(kind)(declared));
}

/**
 * A problem of a whole map or list is shown at its key. Problems of the whole object are dropped where parts of it
 * were left out.
 */
function checkObject(
  all: readonly Finding[],
  declared: Declared,
  body: Body,
  isWhole: boolean,
): readonly Problem[] {
  const findings = all.filter(({ path }) => isWhole || path.length > 0);
  return findings.map(({ path, offset, ...finding }) => {
    const whole = [...declared.path, ...path];
    const value = valueAt(body.merged, whole);
    return { ...finding, at: body.locate(whole, isObject(value) || isList(value) ? "key" : "value", offset) };
  });
}

/** Checks objects against each other. Keys that the files do not set may have any value. */
function checkAcross(zone: OpenZone): readonly Problem[] {
  const parts = kinds
    .filter((kind) => isManagedIn(kind, zone.sections))
    .map((kind) => ({
      kind,
      declared: declaredIn(kind, zone.sections)
        .map(({ path, body }) => ({ path, body: withoutNulls(body) }))
        .filter(({ body }) => body.ensure !== "absent"),
    }));
  const names = parts.flatMap(({ kind, declared }) =>
    declared.flatMap(({ path, body }) =>
      (kind.checks?.names?.(body) ?? []).map((each) => ({ ...each, path: [...path, ...each.path] })),
    ),
  );
  const { value, problems } = budgeted(zone.name, () => checkBetween(declaredState(parts, "nothing"), null));
  return [
    ...[...names, ...value].map(({ path, ...rest }): Problem => ({ ...rest, at: zone.locate(path) })),
    ...problems,
  ];
}

/** Whether keys of an empty section stand beside it, which is an error already. */
function hasKeysBeside(zone: OpenZone, [section, ...below]: Path, places: Places): boolean {
  const kind = below.length === 0 ? kinds.find((each) => each.section === section) : undefined;
  return Object.keys(kind?.fields ?? {}).some((key) => isInside(zone, [key], places));
}

/** Builds paths only for the nulls, which are rare. */
function leftoverNulls(value: Json): readonly Path[] {
  if (value === null) return [[]];
  if (isList(value)) return nullsBelow([...value.entries()]);
  return isObject(value) ? nullsBelow(Object.entries(value)) : [];
}

function nullsBelow(parts: readonly (readonly [string | number, Json])[]): readonly Path[] {
  return parts.flatMap(([step, part]) => leftoverNulls(part).map((path) => [step, ...path]));
}

const EMPTY = "An empty key removes a template's value, and no template sets this key.";

function leftover(path: Path, zone: OpenZone): Problem {
  const { code, summary, detail } = noValue(path, EMPTY);
  return problem(code, summary, detail, zone.locate(path, "key"));
}

function checkPrune(zone: OpenZone): readonly Problem[] {
  const prunedNames = isList(zone.merged.prune) ? zone.merged.prune : [];
  return [...prunedNames.entries()].flatMap(([index, section]): readonly Problem[] => {
    const isDeclared = typeof section !== "string" || Object.hasOwn(zone.sections, section);
    if (isDeclared || !prunedSections.includes(section)) return [];
    const detail = `${zone.name} does not declare ${section}. Remove ${section} from prune, or declare ${section}: [] to delete them all.`;
    const at = zone.locate(["prune", index]);
    return [problem("bad_prune", `prune names the undeclared section ${section}`, detail, at)];
  });
}

/** The account may stand in the zone, in a template, or at the top of the file. */
function checkAccount(zone: OpenZone, places: Places): readonly Problem[] {
  if (zone.accountId === null || isUsualId(zone.accountId)) return [];
  const isOwn = typeof zone.merged.account_id === "string";
  const at = isOwn ? zone.locate(["account_id"]) : (zone.layers.at(-1)?.source.span(["account_id"]) ?? null);
  if (at !== null && places.known.has(spanKey(at))) return [];
  return [isHex(zone.accountId) ? unusualId(zone.accountId, at) : badId(zone.accountId, at)];
}

function checkId(zone: OpenZone, owners: Map<string, OpenZone>, places: Places): readonly Problem[] {
  if (zone.id === null || isKnown(zone, ["id"], places)) return [];
  const earlier = owners.get(zone.id);
  owners.set(zone.id, earlier ?? zone);
  // Finding the line reads the whole file, and most ids are fine.
  if (earlier === undefined && isUsualId(zone.id)) return [];
  const at = zone.locate(["id"]);
  if (!isHex(zone.id)) return [badId(zone.id, at)];
  if (earlier === undefined) return [unusualId(zone.id, at)];
  const detail = `${earlier.name} has the same id (${idPlace(earlier)}). Correct one of the two.`;
  return [problem("duplicate_id", `Duplicate id ${quoted(zone.id)}`, detail, at)];
}

function idPlace(zone: OpenZone): string {
  const at = zone.locate(["id"]);
  return at === null ? pointerOf(["zones", zone.name]) : `${at.file}:${at.line}:${at.column}`;
}

/** Places as `file pointer`. */
interface Places {
  /** Places with a known problem. */
  readonly known: ReadonlySet<string>;
  /** Places with a known problem in them or in a part of them. */
  readonly enclosing: ReadonlySet<string>;
}

function placesOf(problems: readonly Problem[]): Places {
  const spans = problems.flatMap(({ at }) => (at === null ? [] : [at]));
  const enclosing = spans.flatMap(({ file, pointer }) => {
    const steps = pointer.split("/");
    return steps.map((_, index) => `${file} ${steps.slice(0, index + 1).join("/")}`);
  });
  return { known: new Set(spans.map(spanKey)), enclosing: new Set(enclosing) };
}

function spanKey({ file, pointer }: Span): string {
  return `${file} ${pointer}`;
}

/** A merged body and its layers. */
interface Merged {
  readonly layers: readonly Layer[];
  readonly merged: JsonObject;
}

/** Whether a value, or a part of it, has a known problem. */
function isKnown(body: Merged, path: Path, { enclosing }: Places): boolean {
  return enclosing.size > 0 && spotsOf(body, path).some((spot) => enclosing.has(spot));
}

/** Whether a value, or something that contains it, has a known problem. */
function isInside(body: Merged, path: Path, { known }: Places): boolean {
  if (known.size === 0) return false;
  return path.some((_, index) => spotsOf(body, path.slice(0, index + 1)).some((spot) => known.has(spot)));
}

/** The places of a path of the merged body, one for each layer that has it. */
function spotsOf({ layers, merged }: Merged, path: Path): readonly string[] {
  return layers.flatMap((layer) => {
    const ownPath = pathIn(layer, merged, path);
    return ownPath === null ? [] : [`${layer.source.file} ${pointerOf(ownPath)}`];
  });
}

/**
 * Keys beside `ensure: absent`, or in a stronger layer: the object may have been meant to exist. Keys in a weaker
 * layer are fine, since that is how a zone removes an object of a template.
 */
function idleBesideAbsent(kind: Kind, { path, body: object }: Declared, body: Body): readonly Problem[] {
  if (object.ensure !== "absent") return [];
  const depthOf = (key: string) =>
    body.layers.findLastIndex((layer) => pathIn(layer, body.merged, [...path, key]) !== null);
  const idle = ownedKeys(kind, object).filter((key) => depthOf(key) >= depthOf("ensure"));
  if (idle.length === 0) return [];
  const detail = `ensure: absent deletes the object, so these keys do nothing: ${idle.join(", ")}. Remove them, or remove ensure (write ensure: null if a template sets it).`;
  const at = body.locate([...path, "ensure"], "key");
  return [warning("beside_absent", "Keys beside ensure: absent", detail, at)];
}

/** Keys that describe the object, without those that identify it. */
function ownedKeys(kind: Kind, object: Declared["body"]): readonly string[] {
  const fixed = Object.keys(kind.toDesired({}, null));
  const { named, within } = listOf(kind) ?? {};
  const isIdle = (field: string) => !fixed.includes(field) && field !== named && field !== within;
  return Object.entries(object).flatMap(([key, value]) => {
    const fields = Object.keys(kind.toDesired({ [key]: value }, null));
    return fields.some(isIdle) ? [key] : [];
  });
}

/** A secret that stands in the file in clear text. */
function writtenOut(kind: Kind, { path, body: object }: Declared, body: Body): readonly Problem[] {
  return secretKeys(kind.fields, "always").flatMap((key): readonly Problem[] => {
    const outside = body.interpolated([...path, key]);
    const value = object[key];
    if (typeof value !== "string" || (outside !== null && !outside.isInFile)) return [];
    const isCredential = hasCredential(value);
    const detail = isCredential
      ? `${key} has a key or password in clear text. Replace the key at the destination, put the new value into the environment, and write \${secret:NAME}. Everyone who can read the file or its history has the old one.`
      : `${key} may hold a secret, and everyone who can read the file sees it. Put the value into the environment, and write \${secret:NAME}.`;
    const at = body.locate([...path, key], "key");
    const summary = `${isCredential ? "Secret" : "Possible secret"} in clear text: ${key}`;
    return [warning("secret_in_file", summary, detail, at)];
  });
}

/** The API schema says hexadecimal, and no length. Cloudflare's ids have 32 digits. */
function badId(id: string, at: Span | null): Problem {
  return problem("bad_id", `Invalid id ${quoted(id)}`, NOT_AN_ID, at);
}

/** An API other than the public one may have such ids. */
function unusualId(id: string, at: Span | null): Problem {
  const detail = `It has ${id.length} digits; ids at Cloudflare have 32. Copy the id from the dashboard, or remove it.`;
  return warning("unusual_id", `Unusual id ${quoted(id)}`, detail, at);
}

function isUsualId(text: string): boolean {
  return isHex(text) && text.length === 32;
}
