import type { Client } from "../api/client.js";
import { atPlace, isApiProblem, isDenied } from "../api/problems.js";
import { ZoneReads } from "../api/reads.js";
import { allZones, notVisible } from "../api/zones.js";
import { defaultService } from "../config/schema.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { isAboutVisibility, undeclaredBypasses } from "../kinds/bypasses.js";
import { isLeftOutOf, type Wanted, wantedIn } from "../kinds/included.js";
import { kinds, managedKinds } from "../kinds/index.js";
import { type Kind, type Live, objectLimit, sectionIn } from "../kinds/kind.js";
import { liveRuleFor } from "../kinds/rule-list.js";
import { cutEnd, quoted } from "../model/cut.js";
import type { Declared, Service } from "../model/declared-zone.js";
import { isObject, type Json } from "../model/json.js";
import { NOT_ENTITLED } from "../model/plan.js";
import { failed, hasErrors, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { type Listing, listedBy, patternsFor, type UnmanagedObject } from "../model/unmanaged.js";
import { inWordsOf } from "./entitlements.js";
import { type FilesInput, isWithoutFiles, readDesired } from "./files.js";
import { type LiveReader, liveReader } from "./live.js";
import { type FoundZone, idlenessOf, listedAs, locateZones } from "./locate.js";
import { selectNamed, selectZones } from "./select-zones.js";
import { collected, someAtATime } from "./zones.js";

/** The credential, and for each zone what can be read and how many objects fit. */
export interface Checkup {
  readonly baseUrl: string;
  /** The variables that the credential was read from. */
  readonly credential: string;
  readonly token: TokenState;
  readonly zones: readonly ZoneCheckup[];
  /** Problems of the whole run. */
  readonly problems: readonly Problem[];
}

/** The credential's state at the service. */
interface TokenState {
  /** The service's word: active, disabled, expired. Null: unknown. */
  readonly status: string | null;
  /** RFC 3339. Null: never, or unknown. */
  readonly expires: string | null;
}

export interface ZoneCheckup {
  readonly zone: string;
  /** Null: not found, or the lookup failed. */
  readonly zoneId: string | null;
  readonly sections: readonly SectionCheckup[];
  /** Why the zone could not be read, or is not protected. */
  readonly problems: readonly Problem[];
}

export interface SectionCheckup {
  readonly section: string;
  readonly can: "read" | "not_entitled" | "forbidden" | "unreadable";
  /** The number of live objects, undeclared ones included; null: not read, or the service does not list them. */
  readonly live: number | null;
  /** The limit of objects; null: unknown. */
  readonly most: number | null;
  readonly problems: readonly Problem[];
}

/** The most zones that are checked without files. */
const MOST_ZONES = 50;

/**
 * Reads what a run would read, and writes nothing: the files' sections of the files' zones. Without files, it reads all
 * sections of the zones that the credential can see.
 *
 * @param named names and globs, as `--zone` takes them
 */
export async function examine(
  input: FilesInput,
  named: readonly string[],
  client: Client,
  progress: Progress,
): Promise<Result<Checkup>> {
  const verified = await client.get("/user/tokens/verify");
  // The next request would fail too.
  if (!verified.ok && verified.problems.some(isUnanswered) && !client.isRejected) return verified;
  const zonesFound = await zonesToExamine(input, named, client);
  if (!zonesFound.ok) return zonesFound;
  const { zones, service, problems } = zonesFound.value;
  const token = tokenState(verified.ok ? verified : await toldOfAccount(zones, client), Date.now());
  const shared = new ZoneReads(client);
  const looks = someAtATime(zones, 2 * client.concurrency, (zone) =>
    examineZone(zone, client, shared, service),
  );
  const examined = await collected(looks, zones.length, progress, "checking");
  const { baseUrl, variables } = client.target;
  return ok({
    baseUrl,
    credential: variables,
    token: client.isRejected ? { ...token.state, status: "rejected" } : token.state,
    zones: examined,
    problems: [...token.problems, ...problems],
  });
}

/** Whether all managed sections can be read. */
export function isWell({ zones, problems }: Checkup): boolean {
  const all = zones.flatMap((zone) => [...zone.problems, ...zone.sections.flatMap((each) => each.problems)]);
  return !hasErrors([...problems, ...all]);
}

/** The service documents two owners of tokens, a user and an account. Each verifies only its own tokens. */
async function toldOfAccount(zones: readonly FoundZone[], client: Client): Promise<Result<Json>> {
  const [id] = zones.flatMap(({ place }) => (place.ok && place.value.accountId) || []);
  return id === undefined ? failed() : client.get(`/accounts/${id}/tokens/verify`);
}

/**
 * @param answer the service's verification of the token. It verifies no e-mail address and key
 * @param nowMs milliseconds since 1970
 */
function tokenState(
  answer: Result<Json>,
  nowMs: number,
): { readonly state: TokenState; readonly problems: readonly Problem[] } {
  const unknown = { status: null, expires: null };
  if (!answer.ok || !isObject(answer.value)) return { state: unknown, problems: [] };
  const { status, expires_on: expires } = answer.value;
  const state = {
    status: typeof status === "string" ? cutEnd(status, MAX_WORD_CHARS) : null,
    expires: typeof expires === "string" ? cutEnd(expires, MAX_WORD_CHARS) : null,
  };
  const anew = "Create a new token with the permission groups that zoneward permissions lists.";
  if (state.status !== null && state.status !== "active") {
    const detail = `The service says that the token is ${state.status}. ${anew}`;
    return { state, problems: [problem("token_not_active", "Token is not active", detail)] };
  }
  const left = Date.parse(state.expires ?? "") - nowMs;
  if (!(left < EXPIRES_SOON_MS)) return { state, problems: [] };
  const detail = `The service says that the token expires at ${state.expires}. ${anew}`;
  return { state, problems: [warning("token_expires", "Token expires soon", detail)] };
}

/** Two weeks: enough time to get a new token. */
const EXPIRES_SOON_MS = 14 * 24 * 60 * 60 * 1000;

/** More than any word or time that the service documents here. */
const MAX_WORD_CHARS = 40;

function isUnanswered(reason: Problem): boolean {
  return isApiProblem(reason) && reason.http.status === null;
}

interface SectionToExamine {
  readonly kind: Kind;
  /** Its key in the files. */
  readonly name: string;
  /** Whether the files want it even where the zone's Cloudflare plan lacks it. */
  readonly wanted: Wanted;
  /** Its place in the files. */
  readonly at: Problem["at"];
  /** The acknowledged objects. Null: the section is not managed. */
  readonly listed: Listing | null;
  readonly declared: readonly Declared[];
  /** Reads what a run reads for the section. */
  read(reader: LiveReader): Promise<Result<Live>>;
}

interface Found {
  readonly zones: readonly FoundZone[];
  readonly service: Service;
  /** Problems of the choice of zones. */
  readonly problems: readonly Problem[];
}

async function zonesToExamine(
  input: FilesInput,
  named: readonly string[],
  client: Client,
): Promise<Result<Found>> {
  const { desired, problems } = await readDesired(input, "check");
  if (desired === null) {
    return isWithoutFiles(input, problems) ? amongAll(named, client) : failed(...problems);
  }
  const selected = selectZones(desired, named);
  if (!selected.ok) return selected;
  const zones = await locateZones(selected.value, client);
  return ok({ zones, service: desired.service, problems: [] });
}

/** Without files, all sections. */
function sectionsIn(declared: FoundZone["declared"]): readonly SectionToExamine[] {
  const zone = declared?.open();
  if (zone === undefined) return kinds.map(anySection);
  return managedKinds(zone.sections).map((kind) => declaredSection(kind, zone));
}

/** Read as a plan reads it: the declared body decides whether the account is read too. */
function declaredSection(kind: Kind, zone: OpenZone): SectionToExamine {
  const { locate, sections } = zone;
  const name = sectionIn(kind, sections);
  return {
    kind,
    name,
    wanted: wantedIn(zone, kind),
    at: locate([name], "key"),
    listed: zone.unmanaged,
    declared: declaredIn(kind, sections),
    read: (reader) => reader.locating(locate).read(kind, declaredIn(kind, sections)),
  };
}

function anySection(kind: Kind): SectionToExamine {
  return {
    kind,
    name: kind.section,
    wanted: { as: "exported", section: kind.section },
    at: null,
    listed: null,
    declared: [],
    read: (reader) => reader.readForExport(kind),
  };
}

/** Without files nothing is managed, so a section that the zone's Cloudflare plan lacks is no error. */
async function amongAll(named: readonly string[], client: Client): Promise<Result<Found>> {
  const listed = await allZones(client);
  if (!listed.ok) return listed;
  const selected = selectNamed(listed.value, ({ name }) => name, named, notVisible);
  if (!selected.ok) return selected;
  const zones = selected.value.flatMap(({ name, id, accountId, ...listed }): readonly FoundZone[] =>
    id === null || name === "" ? [] : [{ name, declared: null, place: ok({ id, accountId, listed }) }],
  );
  const problems = zones.length > MOST_ZONES ? [tooMany(zones.length)] : [];
  return ok({ zones: zones.slice(0, MOST_ZONES), service: defaultService, problems });
}

function tooMany(zones: number): Problem {
  const detail = `The credential can see ${zones} zones; the first ${MOST_ZONES} were checked. Pass --zone for others, or files with -c.`;
  return warning("more_zones", "Not all zones were checked", detail);
}

async function examineZone(
  { name: zone, declared, place }: FoundZone,
  client: Client,
  shared: ZoneReads,
  service: Service,
): Promise<ZoneCheckup> {
  if (!place.ok) return { zone, zoneId: null, sections: [], problems: place.problems };
  const { id: zoneId } = place.value;
  const reads = new ZoneReads(client, shared);
  const reader = liveReader({ name: zone, place: place.value }, client, reads);
  const answers = await Promise.all(
    sectionsIn(declared).map(async (section) => ({ ...section, reading: await section.read(reader) })),
  );
  const declaredIds = new Set(answers.flatMap(({ declared, reading }) => declaredRuleIds(declared, reading)));
  const examined = answers.map(({ kind, name: section, wanted, at, listed, reading }): SectionCheckup => {
    const limit = objectLimit(kind, service);
    if (!reading.ok) {
      const inWords = client.redact(reading.problems).map((each) => inWordsOf(kind, each, wanted));
      const problems = inWords.map((each) => atPlace(each, at));
      return { section, can: whyNot(problems), live: null, most: limit, problems };
    }
    const { items, unlisted } = reading.value;
    const bypasses = listed === null ? [] : bypassProblems(kind, reading.value, listed, declaredIds);
    const most =
      items.length === 0 && isLeftOutOf(kind, listedAs(zone, place.value)?.plan?.id ?? null) ? 0 : limit;
    return {
      section,
      can: "read",
      live: unlisted === true ? null : items.length,
      most,
      problems: bypasses.map((each) => atPlace(each, at)),
    };
  });
  return { zone, zoneId, sections: examined, problems: client.redact(idlenessOf(zone, place.value)) };
}

/** The ids of live rules that the files declare. */
function declaredRuleIds(declared: readonly Declared[], reading: Result<Live>) {
  const items = reading.ok ? reading.value.items : [];
  return items.flatMap(({ ref, raw }) =>
    declared.some(({ body }) => liveRuleFor(body, [{ id: "", ...raw }]) !== null) ? [ref.id] : [],
  );
}

/** Rules of other lists that let requests skip the section's objects, and the lists that are not visible. */
function bypassProblems(
  kind: Kind,
  { context, warnings = [] }: Live,
  listed: Listing,
  declaredIds: ReadonlySet<string | null>,
): readonly Problem[] {
  const unlisted = undeclaredBypasses(kind, context).filter(
    (each) => patternsFor(listed, each).length === 0 && !declaredIds.has(each.ref.id),
  );
  return [
    ...warnings.filter(isAboutVisibility),
    ...unlisted.filter(({ effect }) => effect !== "neutral").map(bypassProblem),
  ];
}

function bypassProblem({ ref, does }: UnmanagedObject): Problem {
  const name = listedBy({ ref });
  const rule = `The rule ${quoted(ref.key === "" ? (ref.id ?? "") : ref.key)} ${does}.`;
  const way =
    name === null ? "" : `, or acknowledge it in the zone: unmanaged: { rules: [${JSON.stringify(name)}] }`;
  const detail = `${rule} It is undeclared. Delete it in the dashboard${way}.`;
  return warning("bypass", "An undeclared rule skips managed rulesets", detail);
}

function whyNot(problems: readonly Problem[]): SectionCheckup["can"] {
  if (problems.some(({ code }) => code === NOT_ENTITLED)) return "not_entitled";
  return problems.some(isDenied) ? "forbidden" : "unreadable";
}
