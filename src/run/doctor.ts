import type { Client } from "../api/client.js";
import { isDenied } from "../api/problems.js";
import { ZoneReads } from "../api/reads.js";
import { allZones } from "../api/zones.js";
import { defaultService } from "../config/schema.js";
import { readForExport } from "../export/read-live.js";
import { type Wanted, wantedIn } from "../kinds/included.js";
import { kinds } from "../kinds/index.js";
import { isManagedIn, type Kind } from "../kinds/kind.js";
import { liveSecrets } from "../kinds/sensitive.js";
import { isObject } from "../model/json.js";
import { NOT_ENTITLED } from "../model/not-planned.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { Service } from "../model/wanted.js";
import { inWordsOf } from "./entitlements.js";
import { type FilesInput, readDesired } from "./files.js";
import { selectNamed, selectZones } from "./select-zones.js";
import { accountFinder, locateZones, namingPermissions, type Place, someAtATime } from "./zones.js";

/** What a run would meet: the credential, and zone by zone what can be read and how much room there is. */
export interface Checkup {
  readonly token: TokenState;
  readonly zones: readonly ZoneCheckup[];
  /** What is wrong beside the zones. */
  readonly problems: readonly Problem[];
}

/** What the service says of the credential. */
export interface TokenState {
  /** As the service words it: active, disabled, expired. Null: it does not say. */
  readonly status: string | null;
  /** RFC 3339; null: never, or the service does not say. */
  readonly expires: string | null;
}

export interface ZoneCheckup {
  readonly zone: string;
  /** Null: it was not found. */
  readonly zoneId: string | null;
  readonly sections: readonly SectionCheckup[];
  /** Why nothing of it could be read. */
  readonly problems: readonly Problem[];
}

export interface SectionCheckup {
  readonly section: string;
  readonly can: "read" | "not_entitled" | "forbidden" | "unreadable";
  /** Live objects, those of others included; null: not read, or the service does not list them. */
  readonly live: number | null;
  /** How many there can be; null: no limit is known. */
  readonly most: number | null;
  readonly problems: readonly Problem[];
}

/** Zones that are looked at where no file says which. */
const MOST_ZONES = 50;

/**
 * Looks at all that a run needs, and writes nothing. Of the zones of the files, the sections that the files have; without
 * files, all sections of the zones that the credential can see.
 *
 * @param named names and globs, as `--zone` takes them
 */
export async function examine(
  input: FilesInput,
  named: readonly string[],
  client: Client,
  progress: Progress,
): Promise<Result<Checkup>> {
  const token = await tokenState(client);
  const found = await zonesToExamine(input, named, client);
  if (!found.ok) return found;
  const { zones, service, problems } = found.value;
  const shared = new ZoneReads(client);
  const examined: ZoneCheckup[] = [];
  progress(0, zones.length, "looking");
  const looks = someAtATime(zones, 2 * client.concurrency, (zone) =>
    examineZone(zone, client, shared, service),
  );
  for await (const each of looks) {
    examined.push(each);
    progress(examined.length, zones.length, "looking");
  }
  return ok({ token: token.state, zones: examined, problems: [...token.problems, ...problems] });
}

/** Whether nothing is wrong with what the files manage. */
export function isWell({ zones, problems }: Checkup): boolean {
  const all = zones.flatMap((zone) => [...zone.problems, ...zone.sections.flatMap((each) => each.problems)]);
  return !hasErrors([...problems, ...all]);
}

/** A user's own token can be asked for; of an account's token and of a key the reads show whether they are accepted. */
async function tokenState(
  client: Client,
): Promise<{ readonly state: TokenState; readonly problems: readonly Problem[] }> {
  const unsaid = { status: null, expires: null };
  const answer = await client.get("/user/tokens/verify");
  if (!answer.ok || !isObject(answer.value)) return { state: unsaid, problems: [] };
  const { status, expires_on: expires } = answer.value;
  const state = {
    status: typeof status === "string" ? status : null,
    expires: typeof expires === "string" ? expires : null,
  };
  if (state.status === null || state.status === "active") return { state, problems: [] };
  const detail = `The service says that the token is ${state.status}. Make a new one, with the permission groups that zoneward permissions lists.`;
  return { state, problems: [problem("token_not_active", "The token is not active", detail)] };
}

interface ZoneToExamine {
  readonly name: string;
  readonly place: Result<Place>;
  readonly sections: readonly Kind[];
  /** What the files say of a section that the zone's plan has not. */
  readonly wanted: (kind: Kind) => Wanted;
}

interface Found {
  readonly zones: readonly ZoneToExamine[];
  readonly service: Service;
  /** Of the choice of zones. */
  readonly problems: readonly Problem[];
}

async function zonesToExamine(
  input: FilesInput,
  named: readonly string[],
  client: Client,
): Promise<Result<Found>> {
  const { desired, problems } = await readDesired(input, "check");
  if (desired === null) {
    const hasNoFile = input.config.length === 0 && problems.every((each) => each.code === "no_such_file");
    return hasNoFile ? amongAll(named, client) : failed(...problems);
  }
  const selected = selectZones(desired, named);
  if (!selected.ok) return selected;
  const located = await locateZones(selected.value, client);
  const zones = located.map(({ declared, place }): ZoneToExamine => {
    const zone = declared.open();
    const managed = kinds.filter((kind) => isManagedIn(kind, zone.sections));
    return { name: declared.name, place, sections: managed, wanted: (kind) => wantedIn(zone, kind) };
  });
  return ok({ zones, service: desired.service, problems: [] });
}

/** Without files nothing is managed: what a zone's plan has not is told, and is no error. */
async function amongAll(named: readonly string[], client: Client): Promise<Result<Found>> {
  const listed = await allZones(client);
  if (!listed.ok) return listed;
  const selected = selectNamed(listed.value, ({ name }) => name, named, noSuchZone);
  if (!selected.ok) return selected;
  const zones = selected.value.flatMap(({ name, id, accountId }): readonly ZoneToExamine[] =>
    id === null ? [] : [{ name, place: ok({ id, accountId }), sections: kinds, wanted: () => "exported" }],
  );
  const problems = zones.length > MOST_ZONES ? [tooMany(zones.length)] : [];
  return ok({ zones: zones.slice(0, MOST_ZONES), service: defaultService, problems });
}

function noSuchZone(pattern: string, names: readonly string[]): Problem {
  const detail = `${pattern} matches none of the ${names.length} zones that the credential can see. Check the name; the token needs the permission group Zone Read for it.`;
  return problem("zone_not_found", "No zone of this name", detail);
}

function tooMany(zones: number): Problem {
  const detail = `The credential can see ${zones} zones, of which these are the first ${MOST_ZONES}. Name others with --zone, or files with -c.`;
  return { ...problem("more_zones", "Not all zones were looked at", detail), severity: "warning" };
}

async function examineZone(
  { name, place, sections, wanted }: ZoneToExamine,
  client: Client,
  shared: ZoneReads,
  service: Service,
): Promise<ZoneCheckup> {
  if (!place.ok) return { zone: name, zoneId: null, sections: [], problems: place.problems };
  const reads = new ZoneReads(client, shared);
  const accountId = accountFinder(name, place.value);
  const looked = sections.map(async (kind): Promise<SectionCheckup> => {
    const api = namingPermissions(reads, kind.permissions);
    const zone = { api, zoneId: place.value.id, accountId, locate: () => null };
    const found = await readForExport(kind, zone);
    const { section } = kind;
    const most = kind.most?.(service) ?? null;
    if (!found.ok) {
      const said = client.redact(found.problems);
      const problems = said.map((each) => inWordsOf(kind, each, wanted(kind)));
      return { section, can: whyNot(problems), live: null, most, problems };
    }
    const { items, unlisted } = found.value.live;
    client.addSecrets(liveSecrets(kind, items));
    return { section, can: "read", live: unlisted === true ? null : items.length, most, problems: [] };
  });
  return { zone: name, zoneId: place.value.id, sections: await Promise.all(looked), problems: [] };
}

function whyNot(problems: readonly Problem[]): SectionCheckup["can"] {
  if (problems.some(({ code }) => code === NOT_ENTITLED)) return "not_entitled";
  return problems.some(isDenied) ? "forbidden" : "unreadable";
}
