import type { Item, Path, Triple } from "../model/item.js";
import { asText, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Permissions } from "../model/permissions.js";
import type { Action, FieldChange } from "../model/plan.js";
import type { Problem, Result, Span } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import type { RequestAct, RequestEffect } from "../model/request-lines.js";
import type { Sealed, SealedObject } from "../model/sealed.js";
import type { Dimensions, Hindrance } from "../model/strength.js";
import type { LiveUnmanaged } from "../model/unmanaged.js";
import type { Declared, Schema, Service } from "../model/wanted.js";
import type { LogWriter, RuleBefore } from "../model/zone-tests.js";
import { entriesWith, type Fields } from "./fields.js";
import type { Phase, PhaseRuleset } from "./phase.js";

/**
 * One kind of object that the files can declare: all that the rest of the program knows about it.
 *
 * @typeParam Context what else the kind reads of a zone, which its calls are built from
 */
export interface Kind<Context = unknown> extends Resource<Context>, Meaning<Context> {}

/** How objects of a kind are declared, read, compared and written. */
interface Resource<Context> {
  /** As plan documents name it: `settings`, `policy`. */
  readonly name: string;
  /** The key in a zone's body: `settings`, `policies`. */
  readonly section: string;
  readonly depends: Depends;
  readonly shape: Shape<Context>;
  /** Of one object, as it is declared. Keys that the service does not have: `id`, `ensure`, `renamed_from`. */
  readonly schema: Schema;
  readonly fields: Fields;
  readonly service: ServiceFacts;
  /** The place of its objects in the API, which decides how they are read and written. */
  readonly at: At<Context>;
  /** Reading beyond that place. Absent: the kind reads its place only. */
  readonly reads?: Reads<Context>;

  /** The normal form of an object as received or sent. Null: it has another shape. */
  normalOf(raw: JsonObject, context: Context, declared: readonly Declared[]): SealedObject | null;
  /** The fields that a declared object owns, in the normal form; not the keys that say how to find it. */
  toDesired(declared: JsonObject, live: Item | null): SealedObject;
  /**
   * The reverse: the declaration of a live object as it is, without what no file can declare. It contains sensitive
   * live values.
   *
   * @param declared the present declaration: the result has only its keys, in its style. Keys that identify the object
   * stay as declared. Null: all fields that can be declared, without such keys
   */
  toConfig(live: Item, declared: JsonObject | null, context: Context): JsonObject;
  /**
   * The body of the call that creates or changes an object.
   *
   * @param was null: it is new
   * @param live all live objects of the kind
   */
  toWire(want: Item, was: Was | null, live: Live<Context>): SealedObject;
  /**
   * The state closest to the former one that a call can restore. Absent: the former state.
   */
  restorable?(was: JsonObject, live: JsonObject): JsonObject;

  /** Checks besides the schema and the table of fields. Absent: none. */
  readonly checks?: Checks;
}

/** The effects of a kind's objects, on protection and otherwise. */
interface Meaning<Context> {
  /** @param item the item of the normal form. Without it or the context, less may be known. */
  dimensions(normal: SealedObject, context?: Context, item?: Item): Dimensions;
  /** The dimensions that block visitors or page loads. Absent: the kind blocks nothing. */
  blocking?(normal: SealedObject, context?: Context, item?: Item): Dimensions;
  /** Causes that keep an object from taking effect. Absent: there are none. */
  hindrances?(normal: SealedObject, context: Context, item?: Item): readonly Hindrance[];
  /** The traffic that its objects act on. Absent: none. */
  readonly touches?: Touches;
  /** Reports on live objects that stay as they are. Absent: none. */
  readonly kept?: Kept<Context>;
}

/** A kind's dependencies on other kinds. */
interface Depends {
  readonly area: Area;
  /**
   * Sections of other kinds whose objects the order of these changes, or what a guardrail says of them, rests on: where such
   * a section could not be planned, nor can these. All are of the kind's area. Absent: none.
   */
  on?(changes: readonly Pick<PendingChange, "fields">[]): readonly string[];
}

/** A kind in the service's subscriptions, tokens and dashboard. */
interface ServiceFacts {
  /** What the zone's Cloudflare plan has to include. */
  readonly included: Included;
  /** The token's permission groups that its calls need, as the service's dashboard names them. */
  readonly permissions: Permissions;
  /** Its page of the dashboard, below the zone: `security/settings`. */
  readonly dashboard: string;
}

interface Checks {
  /** What is wrong with one declared object, as far as that can be said offline and the table does not say it. Absent: nothing. */
  declared?(body: JsonObject, service: Service): readonly Finding[];
  /** Findings about the object after the change, with undeclared fields from the live object. Absent: none. */
  whole?(want: Item, service: Service): readonly Finding[];
  /**
   * What the service wants beside these fields, as they were declared, where they are sent: of a new object all, of a live
   * one those that change. Absent: nothing.
   *
   * @param named how commands name the zone and the files
   */
  sent?(declared: JsonObject, sent: "all" | readonly string[], named: InCommands): readonly Finding[];
  /**
   * A question that only the service can answer about a declared object. Absent: none.
   *
   * @param moved the fields of the live object that change
   */
  asked?(triple: Triple, moved: readonly FieldChange[], declared: JsonObject): Asked;
  /** The service with limits raised to allow the declared object. Absent: the table has all limits. */
  allowing?(declared: JsonObject, service: Service): Service;
}

interface Touches {
  /** Of a kind whose objects limit by a CSP what pages load. Absent: they do not. */
  readonly loads?: Loads;
  /** What becomes of requests that an object's `expression` matches while it is `enabled`. Absent: nothing. */
  readonly requests?: {
    readonly does: RequestEffect;
    /** How strongly it acts; null: unknown. Absent: there are no degrees. */
    acts?(normal: SealedObject): RequestAct | null;
  };
  /** Of a kind whose objects write logs: what one writes. */
  logs?(normal: SealedObject): LogWriter;
}

interface Kept<Context> {
  /**
   * What is live and no file declares: of the kind's objects these, and the rules of others among which its own stands.
   *
   * @param declared live objects that files declare, each with the fields that these own: what the others do is told too
   */
  does?(items: readonly Item[], context: Context, declared?: readonly Item[]): readonly LiveUnmanaged[];
  /** What else than a length is odd about a live object that stays as it is. It may repeat what the service says. */
  oddities?(live: Item, service: Service): readonly Oddity[];
}

interface Included {
  /** In the service's words: `content security rules`. */
  readonly as: string;
  /**
   * The plans that can have it, by what the zone list calls them, for a kind that is read in the others too and only
   * refused. Absent: the service says so where it is read, or all can.
   */
  readonly in?: readonly string[];
}

interface Reads<Context> {
  live(zone: ZoneReader, declared: readonly Declared[]): Promise<Result<Live<Context>>>;
  /** The same for a file that does not declare it yet. Absent: `live` without anything declared. */
  forExport(zone: ZoneReader): Promise<Result<ReadForExport<Context>>>;
  /** Reinterprets what was read for other declarations, such as the base's. Absent: it is the same for all. */
  inTermsOf?(context: Context, declared: readonly Declared[]): Context;
  /**
   * What to declare so that objects like these are found again, which the files may no longer declare. Absent: nothing has
   * to be declared.
   */
  again?(raws: readonly JsonObject[], declared: JsonObject | null): JsonObject;
  /** Whether a plan of the declared object may read below `/accounts/`. */
  account(declared: JsonObject): boolean;
}

/** The effects of changes and the safe order of calls depend only on objects of the same area. */
type Area = "pages" | "requests" | "logs";

/** The arguments of commands in messages. */
export interface InCommands {
  readonly zone: string;
  /** As `-c` takes them; none: the usual ones. */
  readonly config: readonly string[];
}

interface Loads {
  /** The field with the CSP. */
  readonly field: string;
  /** A new object, as a file declares it, that has this CSP on all pages and only reports. */
  reporting(csp: string): JsonObject;
  /** What blocks what this object only reports; null: it reports nothing. */
  blocking(normal: SealedObject): SealedObject | null;
}

/** What tells the objects of a zone apart: a name or a subject. Without both, a zone has one object. */
export interface Shape<Context = unknown> extends Partial<NamedBy> {
  /** One object for each subject, listed in a second section. */
  readonly each?: List & About<Context>;
}

/** The keys that identify the entries of a list. */
export interface NamedBy {
  readonly named: string;
  /** Where the same name may stand again: a key that tells those apart that have one name, if it is said. */
  readonly within?: string;
  /** Of a list whose order says something too. */
  readonly inOrder?: Order;
}

/** How the order of the entries is the order of the live objects, which are read in theirs. */
interface Order {
  /** A field of the normal form that no entry has: how the object stands wrong. Absent where it stands as it should. */
  readonly field: string;
  /** Whether entries in another order would say that it stands so. */
  isSayable(wrong: Sealed): boolean;
}

/** A section that is a list. */
interface List extends NamedBy {
  readonly section: string;
}

/** Which one of several objects is meant, where there is one for each of what they are about. */
interface About<Context> {
  /** What a live object is about. */
  aboutLive(raw: JsonObject): string;
  /** What an entry is about; null: it cannot be told. Without the context, as far as that can be said offline. */
  aboutDeclared(body: JsonObject, context?: Context): string | null;
}

/** Where the objects of a kind are. Paths are below the zone's. */
export type At<Context = unknown> =
  /** One, which is always there. A call sends the fields that change. */
  | { readonly as: "object"; readonly path: readonly string[] }
  /** Any number, each with an id and with calls of its own. */
  | {
      readonly as: "collection";
      readonly path: readonly string[];
      /** Some services cannot list them. */
      readonly mayBeUnlisted?: true;
      /** The service's limit of how many a zone can have, unmanaged ones included. Absent: none is known. */
      readonly most?: keyof Service["limits"];
    }
  /** Rules of a list, in which others can have rules too. */
  | RulesAt<Context>;

export interface RulesAt<Context = unknown> {
  readonly as: "rules";
  readonly phase: Phase;
  /**
   * Whether a rule that changes alone is sent alone (PATCH), without its id. If not, the service's way for the phase is to
   * replace the list.
   */
  readonly isSentAlone: boolean;
  /** Whether a rule of the list is one of these. Absent: each is. */
  owns?(rule: JsonObject): boolean;
  /** What is odd about an object that files declare at this place, beside what else is in the list. Absent: nothing. */
  warnings?(ruleset: PhaseRuleset | null, at: Span | null): readonly Problem[];
  /** Whether these rules take effect by themselves, and not only on others of the list. */
  readonly actThemselves: boolean;
  /** Null: the zone has none of the phase yet. */
  ruleset(context: Context): PhaseRuleset | null;
  /** The place among the other rules of one that is new or stands wrong. Absent: the last one. */
  place?(want: Item, others: readonly JsonObject[], context: Context): number;
  /** Rules of other lists that run before this one, and by which requests skip rules of it. Absent: there are none. */
  before?(context: Context): readonly RuleBefore[];
  /** The rule that a declared object is, as far as that can be told offline. */
  declared(body: JsonObject): JsonObject;
  /** What was read of managed rulesets: the names that the files have for them → their ids. Absent: nothing. */
  rulesets?(context: Context): ReadonlyMap<string, string>;
}

/** A problem inside one declared object; the path starts at the object. */
export interface Finding {
  readonly path: Path;
  /** Where in the text at the path, as it was declared: a UTF-16 index. Absent: the value as a whole. */
  readonly offset?: number;
  readonly severity: Problem["severity"];
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
}

export type Oddity = Pick<Finding, "code" | "summary" | "detail">;

/** What the service knows better than `check`, of one declared object. Paths start at the object. */
export interface Asked {
  /** Of the problems that are about it. */
  readonly code: string;
  /** What is known to be good: what is live has it. */
  readonly known: readonly Path[];
  /** Null: nothing is to be asked. */
  readonly question: {
    /** What to read, after the path of the zone. It answers the same for all zones of a run. */
    readonly below: string;
    /** What the answer decides about. */
    readonly about: readonly Path[];
    /** What the answer says against it. Null: it is not what was asked for. */
    judge(answer: Json): readonly Finding[] | null;
  } | null;
}

/** One zone, to be read. */
export interface ZoneReader {
  /** What stands below `/accounts/` is read once a run. */
  readonly api: ReadApi;
  readonly zoneId: string;
  accountId(): Promise<Result<string>>;
  /** Where a path of the zone's merged body was written. */
  locate(path: Path, part?: "key" | "value"): Span | null;
}

/** The live objects of a kind in a zone. */
export interface Live<Context = unknown> {
  /** All live objects of the kind. */
  readonly items: readonly Item[];
  readonly context: Context;
  /** The service cannot list objects of this kind: what is there is not known. */
  readonly unlisted?: true;
  /** What is odd about the files in the light of what was read. */
  readonly warnings?: readonly Problem[];
  /** Rules of other lists, which no file declares, by which requests skip these objects. Absent: there are none. */
  readonly bypasses?: readonly LiveUnmanaged[];
}

/** What is live of a kind, with what a file has to say for it to be found in the same way. */
export interface ReadForExport<Context = unknown> {
  readonly live: Live<Context>;
  readonly toReRead: JsonObject;
  /** Live objects that no file can declare. */
  readonly others?: readonly Item[];
}

/** A change before it has calls. `at` is its index among the zone's changes. */
export interface PendingChange {
  readonly at: number;
  readonly action: Action;
  readonly triple: Triple;
  readonly fields: readonly FieldChange[];
}

/** What an object is before a call, and the fields in which it is something else after. */
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

/** The places whose item is at an earlier place too. */
export function repeatedPlaces<Place>(
  items: readonly (readonly [place: Place, item: string])[],
): readonly Place[] {
  const earlierItems = new Set<string>();
  return items.flatMap(([place, item]) => {
    if (earlierItems.has(item)) return [place];
    earlierItems.add(item);
    return [];
  });
}

/** A key of a declared object, and one in the map that it has. Null: no such key. */
interface OwningKey {
  readonly key: string | null;
  readonly inner: string | null;
}

/** The sections in which objects of the kind are declared. */
export function sectionsOf({ section, shape }: Kind): readonly string[] {
  return shape.each === undefined ? [section] : [section, shape.each.section];
}

export function isManagedIn(kind: Kind, sections: JsonObject): boolean {
  return sectionsOf(kind).some((section) => section in sections);
}

/** The kind's section in a zone's files; if they have none, its main section. */
export function sectionIn(kind: Kind, sections: JsonObject): string {
  return sectionsOf(kind).find((section) => section in sections) ?? kind.section;
}

/** The kind's section that is a list; null: it has none. */
export function listOf({ section, shape }: Kind): List | null {
  const { named } = shape;
  return named === undefined ? (shape.each ?? null) : { section, ...shape, named };
}

/** How many objects a zone can have, unmanaged ones included; null: no limit is known. */
export function objectLimit({ at }: Pick<Kind, "at">, { limits }: Pick<Service, "limits">): number | null {
  return at.as === "collection" && at.most !== undefined ? (limits[at.most] ?? null) : null;
}

/** The list in which the kind's objects are rules; null: they are none. */
export function rulesAt<Context>({ at }: Pick<Kind<Context>, "at">): RulesAt<Context> | null {
  return at.as === "rules" ? at : null;
}

export function entryName({ name, shape }: Pick<Kind, "name" | "shape">, { path, body }: Declared): string {
  if (shape.named !== undefined) return asText(body[shape.named]);
  return shape.each === undefined || path.length === 1 ? name : asText(body[shape.each.named]);
}

/** Where an object of that name would be declared. */
export function placeFor(kind: Kind, key: string): Path {
  const list = listOf(kind);
  return list === null || (kind.shape.each !== undefined && key === kind.name)
    ? [kind.section]
    : [list.section, key];
}

/** Whether its objects can be created and deleted. An object at a path of its own always exists. */
export function isCreated({ at }: Pick<Kind, "at">): boolean {
  return at.as !== "object";
}

/** The service's values in a new object for fields without a value or default. */
export function impliedIn(kind: Pick<Kind, "at" | "fields">): JsonObject {
  return isCreated(kind) ? Object.fromEntries(entriesWith(kind.fields, "unset")) : {};
}

/** What in a declared object makes it own a field of the normal form. No key: its section always does. */
export function keyOwning(kind: Kind, field: string, body: JsonObject, item: Item | null): OwningKey {
  if (Object.hasOwn(kind.toDesired({}, item), field)) return { key: null, inner: null };
  const owns = (part: JsonObject) => Object.hasOwn(kind.toDesired(part, item), field);
  const [key = null] = Object.keys(body).filter((each) => owns({ [each]: body[each] ?? null }));
  const value = key === null ? null : body[key];
  // Some maps are one value, such as a CSP by its directives.
  if (key === null || !isObject(value) || owns({ [key]: {} })) return { key, inner: null };
  const [inner = null] = Object.keys(value).filter((each) =>
    owns({ [key]: { [each]: value[each] ?? null } }),
  );
  return { key, inner };
}
