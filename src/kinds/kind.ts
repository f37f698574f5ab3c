import type { Declared, Schema, Service } from "../model/declared-zone.js";
import type { Item, Path, Triple } from "../model/item.js";
import { asText, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Permissions } from "../model/permissions.js";
import type { Action, FieldChange } from "../model/plan.js";
import type { Problem, Result, Span } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import type { RequestAct, RequestEffect, RequestLimit } from "../model/request-lines.js";
import type { SealedObject } from "../model/sealed.js";
import type { Dimensions, Hindrance, Shift } from "../model/strength.js";
import type { LiveUnmanaged } from "../model/unmanaged.js";
import type { ZoneState } from "../model/zone-state.js";
import type { LogWriter, RuleBefore } from "../model/zone-tests.js";
import type { ListedRule } from "../strength/index.js";
import { type Fields, valuesOf } from "./fields.js";
import type { Phase, PhaseRuleset } from "./phase.js";

/**
 * One kind of object that the files can declare: all that the rest of the program knows about it.
 *
 * @typeParam Context what else the kind reads of a zone, from which its calls are built. Null: nothing was read, so less
 * is known
 */
export interface Kind<Context = unknown> extends Handling<Context>, Meaning<Context> {}

/** How objects of a kind are declared, read, compared and written. */
interface Handling<Context> {
  /** The name in plan documents: `settings`, `policy`. */
  readonly name: string;
  /** The main section, which names the kind in messages: `settings`, `policies`. */
  readonly section: string;
  /** All sections of a zone that declare objects of the kind. */
  readonly sections: readonly Section[];
  readonly keys: Keys<Context>;
  readonly depends: Depends;
  /** The schema of one declared object. The keys `id`, `ensure` and `renamed_from` do not exist in the service. */
  readonly schema: Schema;
  readonly fields: Fields;
  readonly service: ServiceFacts;
  /** The place of the objects in the API, which decides how they are read and written. */
  readonly at: At<Context>;

  /** The normal form of an object as received or sent. Null: it has another shape. */
  normalOf(raw: JsonObject, context: Context | null, declared: readonly Declared[]): SealedObject | null;
  /** The fields that a declared object owns, in the normal form, without the keys that identify the live object. */
  toDesired(declared: JsonObject, live: Item | null): SealedObject;
  /**
   * The declaration of a live object, without values that no file can declare. It contains sensitive live values.
   *
   * @param declared the present declaration. The result has only its keys, in its style; keys that identify the object
   * stay as declared. Null: all fields that can be declared, without such keys
   */
  toConfig(live: Item, declared: JsonObject | null, context: Context): JsonObject;
  /**
   * The body of the call that creates or changes an object.
   *
   * @param was null: the object is new
   */
  toWire(want: Item, was: Was | null, live: Live<Context>): SealedObject;

  /** Checks besides the schema and the table of fields. Absent: none. */
  readonly checks?: Checks;
}

/** The effects of a kind's objects, on protection and otherwise. */
interface Meaning<Context> {
  dimensions(item: Item, context: Context | null): Dimensions;
  /** The dimensions that block visitors or page loads. Absent: the kind blocks nothing. */
  blocking?(item: Item, context: Context | null): Dimensions;
  /**
   * Causes that keep an object from taking effect, besides being off. Absent: there are none.
   *
   * @param rules the zone's lists of rules at that moment, by phase. A list that is not declared is absent
   */
  hindrances?(item: Item, context: Context | null, rules: ZoneState["rules"]): readonly Hindrance[];
  /** An object with all parts on that are off without the files declaring it. Null: none are. Absent: it has no parts. */
  partsOn?(item: Item, context: Context | null): Item | null;
  /** The traffic that its objects act on. Absent: none. */
  readonly touches?: Touches;
  /** Reports on live objects that stay as they are. Absent: none. */
  readonly kept?: Kept<Context>;
}

/** A kind's dependencies on other kinds. */
interface Depends {
  readonly area: Area;
  /**
   * Sections of other kinds that decide the order of these changes or a guardrail's finding about them. If one of these
   * sections cannot be planned, this kind cannot either. All are of the kind's area. Absent: none.
   */
  on?(changes: readonly Pick<PendingChange, "fields">[]): readonly string[];
}

/** A kind in the service's subscriptions, tokens, dashboard and names. */
export interface ServiceFacts {
  /** The feature that the zone's Cloudflare plan must include. */
  readonly included: Included;
  /** The most rules of the list in a zone, by Cloudflare plan and with undeclared rules. Absent: unknown. */
  readonly mostRules?: { readonly [plan: string]: number };
  /** The permission groups that the token needs for its calls, with their names in the service's dashboard. */
  readonly permissions: Permissions;
  /** The page of the kind in the dashboard, below the zone: `security/settings`. */
  readonly dashboard: string;
  /** Names of the section in the API and in other tools. Absent: none. */
  readonly otherNames?: readonly string[];
}

interface Checks {
  /** Problems of an object that is declared to exist, found offline, besides those of the table of fields. Absent: none. */
  declared?(body: JsonObject, service: Service): readonly Finding[];
  /** Likely mistakes in names that a plan looks up. Only validate reports them. Absent: none. */
  names?(body: JsonObject): readonly Finding[];
  /** Findings about the object after the change, with undeclared fields from the live object. Absent: none. */
  whole?(want: Item, service: Service): readonly Finding[];
  /**
   * Requirements of the service on the fields that are sent, as declared: all fields of a new object, the changed
   * fields of a live one. Absent: none.
   *
   * @param named how commands name the zone and the files
   * @param live null: the object is new
   */
  sent?(
    declared: JsonObject,
    sent: "all" | readonly string[],
    named: InCommands,
    live: Item | null,
  ): readonly Finding[];
  /**
   * A question that only the service can answer about a declared object. Absent: none.
   *
   * @param moved the fields of the live object that change
   */
  asked?(triple: Triple, moved: readonly FieldChange[], declared: JsonObject): Asked;
  /** Warnings about a new or changed object that the zone's Cloudflare plan probably does not allow. Absent: none. */
  inPlan?(want: Item, plan: string): readonly Finding[];
  /** The service with limits raised to allow the declared object. Absent: the table has all limits. */
  allowing?(declared: JsonObject, service: Service): Service;
}

interface Touches {
  /** For kinds whose objects limit the loads of pages by a CSP. Absent: the kind has no CSP. */
  readonly loads?: Loads;
  /** The fate of requests that the `expression` of an enabled object matches. Absent: they are unaffected. */
  readonly requests?: {
    readonly does: RequestEffect;
    /** How strongly an object acts, or its rate limit. Null: unknown. Absent: the kind has no degrees. */
    acts?(normal: SealedObject): RequestAct | RequestLimit | null;
  };
  /** For kinds whose objects write logs: the logs of one object. */
  logs?(normal: SealedObject): LogWriter;
}

interface Kept<Context> {
  /**
   * Reports on undeclared live objects: objects of the kind, and the rules in the same list as its rules.
   *
   * @param declared the declared live objects, each with its declared fields. Other fields are reported too
   */
  undeclared?(items: readonly Item[], context: Context, declared?: readonly Item[]): readonly LiveUnmanaged[];
  /** Warnings about a live object that stays as it is, besides its length. They may quote the service. */
  oddities?(live: Item, service: Service): readonly Oddity[];
}

interface Included {
  /** The feature's name in the service: `content security rules`. */
  readonly as: string;
  /**
   * The Cloudflare plans that include the feature, by their names in the zone list. It is needed where the service lets
   * other plans read but not write. Absent: reading shows it, or all include it.
   */
  readonly in?: readonly string[];
}

interface Reads<Context> {
  /** @param former the declarations in the base, whose live objects are read too */
  live(
    zone: ZoneReader,
    declared: readonly Declared[],
    former?: readonly Declared[],
  ): Promise<Result<Live<Context>>>;
  /** The live objects, for a file that does not declare the kind yet. */
  forExport(zone: ZoneReader): Promise<Result<Live<Context>>>;
  /** Reinterprets the answers for other declarations, such as those of the base. Absent: declarations do not matter. */
  inTermsOf?(context: Context, declared: readonly Declared[]): Context;
  /**
   * The declarations without which reading does not find these objects. The files may have dropped them. Absent:
   * reading finds the objects without declarations.
   */
  again?(raws: readonly JsonObject[], declared: JsonObject | null): JsonObject;
  /** Whether a plan of the declared object may read below `/accounts/`. Absent: never. */
  account?(declared: JsonObject): boolean;
}

/** The effects of changes and the safe order of calls depend only on objects of the same area. */
type Area = "pages" | "requests" | "logs" | "zone";

/** The arguments of commands in messages. */
export interface InCommands {
  readonly zone: string;
  /** The values of `-c`. Empty: the default files. */
  readonly config: readonly string[];
}

interface Loads {
  /** The field with the CSP. */
  readonly field: string;
  /** A declaration of a new object that reports by this CSP on all pages and blocks nothing. */
  reporting(csp: string): JsonObject;
  /** The object changed so that it blocks the loads it reports. Null: it reports nothing. */
  blocking(normal: SealedObject): SealedObject | null;
}

/** Tells an object from the others of its kind, in the files and live. */
export interface Key {
  /** A name, or what the object is about. Null: not given, or unknown. */
  readonly name: string | null;
  /** The scope in which the name is unique, such as a dataset. Null: any scope. */
  readonly within: string | null;
}

/** The keys of a kind's objects. Objects in the files, the base and the zone with one key are the same object. */
export interface Keys<Context = unknown> {
  /** Of a declaration. */
  declared(body: JsonObject, context: Context | null): Key;
  /** Of a live or desired object. */
  live(item: Pick<Item, "normal" | "raw">): Key;
}

/** The keys that identify the entries of a list. */
export interface NamedBy {
  readonly named: string;
  /** For names that may repeat: an optional key that distinguishes objects of the same name. */
  readonly within?: string;
  /** The order of the entries has a meaning. A misplaced live object has the field POSITION. */
  readonly inOrder?: true;
}

/** A field of the normal form that describes a wrong position. A well-placed object lacks it. */
export const POSITION = "position";

/** A section of a zone: one object, or a list of named ones. */
export type Section = { readonly section: string; readonly named?: never } | List;

interface List extends NamedBy {
  readonly section: string;
}

/** Where the objects of a kind are. */
export type At<Context = unknown> =
  /** A single object, which always exists. A call sends only the changed fields. */
  | (AtPath<Context> & {
      readonly as: "object";
      /**
       * The part of the object that has a field. Each part has its own path below, and is changed by itself; the live
       * object has one member for each part. Absent: one call changes all fields.
       */
      readonly partOf?: (field: string) => string;
    })
  /** Any number of objects, each with an id and its own calls. */
  | (AtPath<Context> & {
      readonly as: "collection";
      /** Some services cannot list them. */
      readonly mayBeUnlisted?: true;
      /** The service's limit of objects in a zone, unmanaged ones included. Absent: unknown. */
      readonly most?: keyof Service["limits"];
    })
  /** Rules of a list that may also have rules of other tools or people. */
  | RulesAt<Context>;

interface AtPath<Context> {
  /** Below the zone's path. */
  readonly path: readonly string[];
  /** Absent: one read of the path. */
  readonly reads?: Reads<Context>;
}

export interface RulesAt<Context = unknown> {
  readonly as: "rules";
  readonly phase: Phase;
  readonly reads: Reads<Context>;
  /**
   * Whether a single changed rule is sent alone (PATCH), without its id. If not, the whole list is replaced, as
   * documented for the phase.
   */
  readonly isSentAlone: boolean;
  /** Whether these rules act on requests. If not, they act only on other rules of the list. */
  readonly actThemselves: boolean;
  /** Null: the zone has no list of the phase yet, or it was not read. */
  ruleset(context: Context | null): PhaseRuleset | null;
  /** The position of a new or wrongly placed rule. Absent: last. */
  place?(want: Item, others: readonly JsonObject[], context: Context): number;
  /** What a changed rule is judged by, in place of its dimensions that block. Absent: its dimensions. */
  readonly judged?: Judged;
  /** Rules of earlier lists that let requests skip rules of this list. Absent: none. */
  before?(context: Context): readonly RuleBefore[];
  /** The rule of a declared object, as complete as it can be offline. */
  declared(body: JsonObject): JsonObject;
  /** The ids of the managed rulesets that were read, by their names in files. Absent: none were read. */
  rulesets?(context: Context): ReadonlyMap<string, string>;
}

export type Judged =
  /**
   * Its list, because its effect depends on the other rules. Where the list is unknown, the dimensions count.
   * `listed`: a rule as a part of the list. Null: the rule is disabled.
   */
  | { readonly by: "list"; listed(rule: JsonObject): ListedRule | null }
  /** The rule as a whole. `behind`: the live rules behind the place that it has or gets. */
  | {
      readonly by: "rule";
      shifts(
        before: SealedObject | null,
        after: SealedObject | null,
        zone: string,
        behind: readonly JsonObject[],
      ): readonly Shift[];
    };

/** A problem inside one declared object; the path starts at the object. */
export interface Finding {
  readonly path: Path;
  /** The UTF-16 index in the declared text at the path. Absent: the problem is about the whole value. */
  readonly offset?: number;
  readonly severity: Problem["severity"];
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
}

export type Oddity = Pick<Finding, "code" | "summary" | "detail">;

/** A question about one declared object that the service answers better than `check`. Paths start at the object. */
export interface Asked {
  /** The code of its problems. */
  readonly code: string;
  /** The values that live objects have, and that are therefore valid. */
  readonly known: readonly Path[];
  /** Null: no request is needed. */
  readonly question: {
    /** The path to read, below the zone's. The answer is the same for all zones of a run. */
    readonly below: string;
    /** The part of the object that the answer decides. */
    readonly about: readonly Path[];
    /** The problems that the answer shows. Null: the answer has an unexpected shape. */
    judge(answer: Json): readonly Finding[] | null;
  } | null;
}

/** One zone, to be read. */
export interface ZoneReader {
  /** Paths below `/accounts/` are read once in a run. */
  readonly api: ReadApi;
  readonly zoneId: string;
  accountId(): Promise<Result<string>>;
  /** The file position of a path in the zone's merged body. */
  locate(path: Path, part?: "key" | "value"): Span | null;
}

/** The live objects of a kind in a zone. */
export interface Live<Context = unknown> {
  /** All live objects of the kind. */
  readonly items: readonly Item[];
  readonly context: Context;
  /** The service cannot list objects of this kind, so the live objects are unknown. */
  readonly unlisted?: true;
  /** Warnings about the files that only the live state shows. */
  readonly warnings?: readonly Problem[];
  /** Of a read for an export: live objects that files cannot declare. Absent: none. */
  readonly others?: readonly Item[];
}

/** A change before it has calls. `at` is its index among the zone's changes. */
export interface PendingChange {
  readonly at: number;
  readonly action: Action;
  readonly triple: Triple;
  readonly fields: readonly FieldChange[];
}

/** An object before a call, and the fields that the call changes. */
export interface Was {
  readonly live: Item;
  readonly fields: readonly string[];
}

export function error(path: Path, code: string, summary: string, detail: string): Finding {
  return { path, severity: "error", code, summary, detail };
}

export function warningAt(path: Path, code: string, summary: string, detail: string): Finding {
  return { path, severity: "warning", code, summary, detail };
}

/** The indices of the items that the list has before. */
export function repeatsIn(list: readonly unknown[]): readonly number[] {
  const earlier = new Set<unknown>();
  return list.flatMap((item, index) => {
    if (earlier.has(item)) return [index];
    earlier.add(item);
    return [];
  });
}

export function sectionsOf({ sections }: Pick<Kind, "sections">): readonly string[] {
  return sections.map(({ section }) => section);
}

export function isManagedIn(kind: Kind, sections: JsonObject): boolean {
  return sectionsOf(kind).some((section) => section in sections);
}

/** The kind's section in a zone's files; if there is none, its main section. */
export function sectionIn(kind: Kind, sections: JsonObject): string {
  return sectionsOf(kind).find((section) => section in sections) ?? kind.section;
}

/** The kind's list section. Null: none. */
export function listOf({ sections }: Pick<Kind, "sections">): List | null {
  return sections.find((each) => each.named !== undefined) ?? null;
}

/** The field with an object's name. Null: entries only tell what the objects are about, and nothing can be renamed. */
export function nameField(kind: Pick<Kind, "sections" | "fields">): string | null {
  const { named = "" } = listOf(kind) ?? {};
  return named in kind.fields ? named : null;
}

/** The limit of objects in a zone, unmanaged ones included. Null: unknown. */
export function objectLimit({ at }: Pick<Kind, "at">, { limits }: Pick<Service, "limits">): number | null {
  return at.as === "collection" && at.most !== undefined ? (limits[at.most] ?? null) : null;
}

/** The list that holds the kind's objects as rules. Null: the objects are not rules. */
export function rulesAt<Context>({ at }: Pick<Kind<Context>, "at">): RulesAt<Context> | null {
  return at.as === "rules" ? at : null;
}

/** The name of an entry in its section. A section with one object has the kind's name. */
export function entryName(
  { name, sections }: Pick<Kind, "name" | "sections">,
  { path, body }: Declared,
): string {
  const { named } = sections.find(({ section }) => section === path[0]) ?? {};
  return named === undefined ? name : asText(body[named]);
}

/** Whether objects of the kind can be created and deleted. An object at its own path always exists. */
export function isCreated({ at }: Pick<Kind, "at">): boolean {
  return at.as !== "object";
}

/** The service's values in a new object for fields without a value or default. */
export function impliedIn(kind: Pick<Kind, "at" | "fields">): JsonObject {
  return isCreated(kind) ? valuesOf(kind.fields, "unset") : {};
}

/** A key of a declared object, or its path to a key in a map. */
type OwningKey = readonly [key: string, ...inner: string[]];

/** Field of the normal form → the key that owns it. A field that the section always owns has none. */
export function owningKeys(kind: Kind, body: JsonObject, item: Item | null): ReadonlyMap<string, OwningKey> {
  const fieldsOf = (part: JsonObject) => Object.keys(kind.toDesired(part, item));
  const keys = new Map<string, OwningKey>();
  const add = (key: OwningKey, part: JsonObject, others: readonly string[]) => {
    for (const field of fieldsOf(part)) if (!others.includes(field)) keys.set(field, key);
  };
  for (const [key, value] of Object.entries(body)) {
    add([key], { [key]: value }, fieldsOf({}));
    if (!isObject(value)) continue;
    // Some maps are one value, such as a CSP with its directives.
    const ofMap = fieldsOf({ [key]: {} });
    for (const [inner, each] of Object.entries(value)) add([key, inner], { [key]: { [inner]: each } }, ofMap);
  }
  return keys;
}
