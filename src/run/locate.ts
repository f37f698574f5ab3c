import type { Client } from "../api/client.js";
import { atPlace } from "../api/problems.js";
import { AccountSearch, findZones } from "../api/zones.js";
import type { DeclaredZone } from "../config/index.js";
import { type OpenZone, zoneName } from "../config/zone.js";
import { wantedIn } from "../kinds/included.js";
import { kinds } from "../kinds/index.js";
import { isManagedIn, type Kind } from "../kinds/kind.js";
import { absurd, failed, inZone, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { ListedAs, ZonePlace } from "./live.js";
import { protectDeclared } from "./secrets.js";

export interface FoundZone {
  readonly name: string;
  /** Null: there are no files. */
  readonly declared: DeclaredZone | null;
  /** Or the reason why it is unknown. */
  readonly place: Result<ZonePlace>;
}

export interface LocatedZone extends FoundZone {
  readonly declared: DeclaredZone;
}

/**
 * Finds the ids of zones: from the files, else by name in the zone list.
 *
 * @param isUnapproved whether to verify the id and account in the files
 * @param isRead whether this run reads a declared kind
 */
export async function locateZones(
  zones: readonly DeclaredZone[],
  client: Client,
  isUnapproved: (zone: OpenZone) => boolean = () => false,
  isRead: (zone: OpenZone, kind: Kind) => boolean = () => true,
): Promise<readonly LocatedZone[]> {
  const wanted = zones.map((declared) => {
    const open = declared.open();
    protectDeclared(open, client);
    const { id, name, accountId } = open;
    const read = kinds.filter((kind) => isRead(open, kind));
    const isOptional = read.some((kind) => wantedIn(open, kind).as === "optional");
    const mayAsk = (accountId === null && mayReadAccount(open, read)) || isOptional;
    return { declared, id, name, accountId, mayAsk, isSought: id === null || isUnapproved(open) };
  });
  // If pages of the list are read anyway, the accounts come from there.
  const arePagesRead = wanted.filter(({ isSought }) => isSought).length > 1;
  const sought = wanted.filter((each) => each.isSought || (arePagesRead && each.mayAsk));
  const pinnedAmong = (which: typeof wanted) =>
    which.flatMap(({ id, name, accountId }) => (id === null ? [] : [{ id, name, accountId }]));
  const accounts = new AccountSearch(client, pinnedAmong(wanted.filter((each) => each.mayAsk)));
  const found = await findZones(
    client,
    sought.map(({ id, name, accountId }) => (id === null ? { name, accountId } : { name, accountId, id })),
    pinnedAmong(wanted.filter((each) => !sought.includes(each))),
  );
  const located = wanted.map(({ declared, id, name, accountId, isSought }): LocatedZone => {
    const at = (place: LocatedZone["place"]) => ({ name, declared, place });
    const record = found.get(name);
    if (record?.ok === true) {
      const { id: foundId, accountId: account } = record.value;
      return at(ok({ id: foundId, accountId: accountId ?? account, listed: record.value }));
    }
    // Most sections can be read without the account.
    if (record !== undefined && (isSought || record.problems.some(isContradicted)))
      return at(placed(record.problems, declared));
    if (id === null) throw new Error("findZones answers for every zone that it looks for");
    return at(ok({ id, accountId, listed: null, accounts }));
  });
  return refuseTwins(located);
}

/** Finds the zones of names on the command line, each once. */
export async function findNamed(
  written: readonly string[],
  client: Client,
  notAName: (written: string) => Problem,
): Promise<Result<readonly FoundZone[]>> {
  const wrong = written.filter((each) => zoneName(each) === null);
  if (wrong.length > 0) return failed(...wrong.map(notAName));
  const names = [...new Set(written.flatMap((each) => zoneName(each) ?? []))];
  const found = await findZones(
    client,
    names.map((name) => ({ name, accountId: null })),
  );
  return ok(
    names.map((name) => {
      const record = found.get(name) ?? absurd("findZones answers for every zone that it looks for");
      if (!record.ok) return { name, declared: null, place: record };
      const { id, accountId } = record.value;
      return { name, declared: null, place: ok({ id, accountId, listed: record.value }) };
    }),
  );
}

function mayReadAccount({ sections }: OpenZone, read: readonly Kind[]): boolean {
  return read.some((kind) => kind.service.permissions.account !== undefined && isManagedIn(kind, sections));
}

function isContradicted({ code }: Problem): boolean {
  return code === "zone_id_mismatch" || code === "zone_in_other_account";
}

/** Whether the zone list has verified the zone's id. */
export function hasHeld(name: string, { accounts }: ZonePlace): boolean {
  return accounts === undefined || accounts.recordOf(name) !== null;
}

/** The zone's entry in the zone list, even if the list was read only for the account. Null: not read yet. */
export function listedAs(name: string, { listed, accounts }: ZonePlace): ListedAs | null {
  return listed ?? accounts?.recordOf(name) ?? null;
}

/** The reason why the zone is not protected yet, if one is known by now. */
export function idlenessOf(name: string, place: ZonePlace): readonly Problem[] {
  const why = listedAs(name, place)?.idle ?? null;
  return why === null ? [] : [why];
}

/** Two declarations of one live zone would undo each other. */
function refuseTwins(zones: readonly LocatedZone[]): readonly LocatedZone[] {
  const names = new Map<string, string[]>();
  for (const { declared, place } of zones)
    if (place.ok) names.set(place.value.id, [...(names.get(place.value.id) ?? []), declared.name]);
  return zones.map((zone) => {
    const { declared, place } = zone;
    const twins = place.ok ? (names.get(place.value.id) ?? []) : [];
    if (!place.ok || twins.length <= 1) return zone;
    const detail = `${twins.join(" and ")} all have the zone id ${place.value.id}. Correct the wrong id, or keep one of them.`;
    const twin = problem("duplicate_id", "Several declared zones have one id", detail);
    return { ...zone, place: placed([twin], declared) };
  });
}

/** Problems without a place get the place of the zone's name in the files. */
export function placed(problems: readonly Problem[], declared: DeclaredZone): ReturnType<typeof failed> {
  return failed(...inZone(problems, declared.name).map((each) => atPlace(each, declared.at())));
}
