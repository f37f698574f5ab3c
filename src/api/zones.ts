import { domainToASCII } from "node:url";
import { cutEnd } from "../model/cut.js";
import { didYouMean } from "../model/did-you-mean.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { areAll, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isId } from "../model/read-api.js";
import type { Client } from "./client.js";
import { type Page, pagePath, SMALLEST_PAGE } from "./pages.js";
import { needing } from "./problems.js";
import { notServed } from "./zone-status.js";

/** A zone as the service lists it. */
export interface SeenZone {
  /** Lower case, punycode, no trailing dot. Empty: the list has none. */
  readonly name: string;
  /** null: not an id that may stand in a path. */
  readonly id: string | null;
  /** null: the service does not give it. */
  readonly accountId: string | null;
  /** Why the zone is not protected yet; null: it is, or the service does not say. */
  readonly idle: Problem | null;
  readonly plan: PlanAtService | null;
}

export interface ZoneRecord extends SeenZone {
  readonly id: string;
}

/** The zone's Cloudflare plan, as far as the service tells it. */
export interface PlanAtService {
  /** `free`, `pro`, `business`, or `enterprise` of old. */
  readonly id: string;
  /** The display name. */
  readonly name: string;
}

export interface SoughtZone {
  readonly name: string;
  /** null: any account. */
  readonly accountId: string | null;
  /** The id that the zone of this name must have. Absent: any. */
  readonly id?: string;
  /** Of a zone with an id: why it is looked up. Absent: to check that the id belongs to the name. */
  readonly for?: "account";
}

/** A zone with a given id. It need not be found, but a listed zone must agree. */
export interface PinnedZone extends SoughtZone {
  readonly id: string;
}

export type ZoneList = Pick<Client, "list" | "page">;

/** The maximum in the published OpenAPI document. */
const PER_PAGE = 50;

/** Sorted by name, so that a page shows whether its last name may continue on the next page. */
const ALL_ZONES = "/zones?order=name&direction=asc";

/**
 * Finds zones by name: each name as given → its record, or why it has none. An id given with a name must match the
 * record's id. One zone is looked up by name.
 * For more, pages of all zones are read until the other pages would take more requests than a lookup for each name that
 * is still open. If the list does not tell its length, at most one page more than there are names is read. Pinned zones
 * on the pages read are answered too.
 */
export async function findZones(
  api: ZoneList,
  sought: readonly SoughtZone[],
  pinned: readonly PinnedZone[] = [],
): Promise<ReadonlyMap<string, Result<ZoneRecord>>> {
  if (sought.length <= 1) return byNames(api, sought, () => listedZones(api));
  // A list may change while it is paged, and repeat an item.
  const ids = new Set<Json>();
  const listed = new Map<string, SeenZone[]>();
  let fullPage = SMALLEST_PAGE;
  for (let number = 1; ; number++) {
    const page = await api.page(pagePath(ALL_ZONES, number, PER_PAGE));
    const more = page.ok ? page.value.items : [];
    const fresh = new Map(more.filter((item) => !ids.has(idOf(item))).map((item) => [idOf(item), item]));
    for (const id of fresh.keys()) ids.add(id);
    addByName(listed, [...fresh.values()]);
    const isLast = page.ok && (fresh.size === 0 || more.length < fullPage);
    const pagesLeft = (page.ok ? pagesAfter(page.value, number) : null) ?? (isLast ? 0 : UNKNOWN);
    fullPage = Math.max(fullPage, more.length);
    const isSettled = settledBy(listed, pagesLeft);
    const open = sought.filter((zone) => !isSettled(zone));
    const arePagesCheaper = pagesLeft === UNKNOWN ? number <= sought.length : open.length > pagesLeft;
    if (page.ok && open.length > 0 && arePagesCheaper) continue;
    const answered = sought.filter(isSettled).map((zone) => [zone.name, chosen(zone, listed)] as const);
    const known = new Map([...pinnedIn(pinned, listed), ...answered]);
    if (!page.ok)
      return new Map([...known, ...open.map((zone) => [zone.name, denied(page.problems, zone)] as const)]);
    return new Map([...known, ...(await byNames(api, open, async () => listed))]);
  }
}

/** All zones that the credential can see, sorted by name. */
export async function allZones(api: Pick<ZoneList, "list">): Promise<Result<readonly SeenZone[]>> {
  const listed = await api.list(ALL_ZONES, { perPage: PER_PAGE });
  if (listed.ok) {
    const withNames = [...byName(listed.value).values()].flat().sort((a, b) => (a.name < b.name ? -1 : 1));
    return ok([...withNames, ...listed.value.filter(isObject).filter(isNameless).map(seenZone)]);
  }
  return deniedFor(listed.problems, " To list zones, the token needs the permission group Zone Read.");
}

/** Zone name → why its given id is not the id of that name. */
export async function idMismatches(
  api: ZoneList,
  zones: readonly PinnedZone[],
): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const records = await findZones(api, zones);
  return new Map([...records].flatMap(([name, zone]) => (zone.ok ? [] : [[name, zone.problems] as const])));
}

/** Finds the accounts and Cloudflare plans of zones with known ids: all at once, when the first is needed. */
export class AccountSearch {
  readonly #api: ZoneList;
  readonly #zones: readonly PinnedZone[];
  readonly #records = new Map<string, ZoneRecord>();
  readonly #alone = new Map<string, ReturnType<typeof findZones>>();
  #together: ReturnType<typeof findZones> | null = null;

  /** @param zones that will probably be needed */
  constructor(api: ZoneList, zones: readonly PinnedZone[]) {
    this.#api = api;
    this.#zones = zones;
  }

  async accountOf(name: string, id: string): Promise<Result<string>> {
    const record = await this.ask(name, id);
    if (record?.ok === false && !areAll(record.problems, "zone_not_found")) return record;
    const account = record?.ok === true ? record.value.accountId : null;
    return account === null ? accountUnknown(name, id) : ok(account);
  }

  /** Looks a zone up; afterwards `recordOf` has its record, if the credential can see the zone. */
  async ask(name: string, id: string): Promise<Result<ZoneRecord> | undefined> {
    const record = (await this.#search(name, id)).get(name);
    if (record?.ok === true) this.#records.set(name, record.value);
    return record;
  }

  /** The record of a zone that was looked up, whose id is certain to match its name. */
  recordOf(name: string): ZoneRecord | null {
    return this.#records.get(name) ?? null;
  }

  #search(name: string, id: string): ReturnType<typeof findZones> {
    const forAccount = (zone: PinnedZone): PinnedZone => ({ ...zone, for: "account" });
    if (this.#zones.some((zone) => zone.name === name)) {
      this.#together ??= findZones(this.#api, this.#zones.map(forAccount));
      return this.#together;
    }
    const alone = this.#alone.get(name) ?? findZones(this.#api, [forAccount({ name, id, accountId: null })]);
    this.#alone.set(name, alone);
    return alone;
  }
}

export function accountUnknown(name: string, id: string): Result<never> {
  const detail = `The zone list does not name the account of ${name} (zone ${id}), whose managed rulesets are needed. Set account_id in the file.`;
  return failed(problem("account_unknown", "Account of the zone is unknown", detail));
}

/**
 * The service may ignore the filter, so names are compared here too.
 *
 * @param others zones for the message about a zone that is not found
 */
async function byNames(
  api: ZoneList,
  sought: readonly SoughtZone[],
  others: () => Promise<Listed>,
): Promise<ReadonlyMap<string, Result<ZoneRecord>>> {
  const lookups = sought.map(async (zone) => {
    const path = `/zones?name=${encodeURIComponent(nameKey(zone.name))}`;
    const listed = await api.list(path, { perPage: PER_PAGE });
    if (!listed.ok) return [zone.name, denied(listed.problems, zone)] as const;
    const zones = byName(listed.value);
    const namesakes = zones.get(nameKey(zone.name)) ?? [];
    const { id } = zone;
    const isFound = id === undefined ? namesakes.length > 0 : namesakes.some((each) => each.id === id);
    const around =
      isFound || (id !== undefined && nameIn(zones, id) !== null)
        ? zones
        : new Map([
            ...(await (id === undefined ? others() : listedZones(api))),
            [nameKey(zone.name), namesakes],
          ]);
    return [zone.name, chosen(zone, around)] as const;
  });
  return new Map(await Promise.all(lookups));
}

/** All zones, for an error message that is worth it; none if they cannot be listed. */
async function listedZones(api: ZoneList): Promise<Listed> {
  const listed = await api.list(ALL_ZONES, { perPage: PER_PAGE });
  return byName(listed.ok ? listed.value : []);
}

function nameIn(listed: Listed, id: string): string | null {
  return [...listed.values()].flat().find((each) => each.id === id)?.name ?? null;
}

/** Why none of the zones of this name has the given id. */
function otherZone(
  { name }: SoughtZone,
  id: string,
  namesakes: readonly SeenZone[],
  listed: Listed,
): Result<never> {
  const actual = nameIn(listed, id);
  if (namesakes.length > 0) return failed(otherId(name, id, namesakes, actual));
  return failed(actual === null ? notFound(name, listed) : misnamed(name, id, actual));
}

function idOf(item: Json): Json {
  return isObject(item) ? (item.id ?? item) : item;
}

/** Pinned zones on the pages read: their records, or why their ids do not match. */
function pinnedIn(
  pinned: readonly PinnedZone[],
  listed: Listed,
): readonly (readonly [string, Result<ZoneRecord>])[] {
  const byId = new Map([...listed.values()].flat().map((zone) => [zone.id, zone]));
  return pinned.flatMap(({ id, name, accountId }) => {
    const zone = byId.get(id);
    if (zone === undefined) return [];
    if (zone.name !== nameKey(name)) return [[name, failed(misnamed(name, id, zone.name))] as const];
    const elsewhereNow = accountId !== null && zone.accountId !== null && zone.accountId !== accountId;
    return [[name, elsewhereNow ? failed(elsewhere(name, accountId, [zone])) : ok({ ...zone, id })] as const];
  });
}

const UNKNOWN = Number.POSITIVE_INFINITY;

/** The number of pages after this one; null: the service does not tell. */
function pagesAfter({ info }: Page, number: number): number | null {
  const { totalPages = null, totalCount = null, perPage = null } = info ?? {};
  if (totalPages === null && totalCount === null) return null;
  // Where the two disagree, take the larger: a zone on an unread page must not be taken for absent.
  const byCount = Math.ceil((totalCount ?? 0) / (perPage || PER_PAGE));
  return Math.max(0, totalPages ?? 0, byCount, number) - number;
}

/**
 * Whether the first page settles a zone. A match is not enough: another account may have a zone of the same name on a
 * later page. It cannot if the page is sorted and goes on to a later name, or if the account is given.
 */
function settledBy(listed: Listed, pagesLeft: number): (zone: SoughtZone) => boolean {
  const names = [...listed.keys()];
  const inOrder = names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name);
  const last = names.at(-1) ?? "";
  return ({ name, accountId, id }) => {
    const key = nameKey(name);
    const namesakes = listed.get(key) ?? [];
    if (pagesLeft === 0) return true;
    if (id !== undefined) return namesakes.some((each) => each.id === id);
    if (accountId !== null) return namesakes.some((each) => each.accountId === accountId);
    return namesakes.length > 0 && inOrder && key < last;
  };
}

/** A zone's name in the form in which names are compared. */
function nameKey(name: string): string {
  const bare = name.replace(/\.$/, "");
  return domainToASCII(bare) || bare.toLowerCase();
}

/** Zones by name, in the order of their first appearance. */
type Listed = ReadonlyMap<string, readonly SeenZone[]>;

function byName(items: readonly Json[]): Listed {
  const listed = new Map<string, SeenZone[]>();
  addByName(listed, items);
  return listed;
}

function addByName(listed: Map<string, SeenZone[]>, items: readonly Json[]): void {
  for (const item of items) {
    if (!isObject(item) || isNameless(item)) continue;
    const zone = seenZone(item);
    listed.set(zone.name, [...(listed.get(zone.name) ?? []), zone]);
  }
}

function isNameless({ name }: JsonObject): boolean {
  return typeof name !== "string";
}

function seenZone(item: JsonObject): SeenZone {
  const name = typeof item.name === "string" ? nameKey(item.name) : "";
  const accountId = isObject(item.account) ? checkedId(item.account.id) : null;
  const idle = isServed(item) ? null : notServed(item);
  return { id: checkedId(item.id), name, accountId, idle, plan: planIn(item) };
}

/** `legacy_id` is not in the published OpenAPI document, but in every answer that users show. */
function planIn({ plan }: JsonObject): PlanAtService | null {
  if (!isObject(plan) || typeof plan.legacy_id !== "string") return null;
  return { id: plan.legacy_id, name: cutEnd(typeof plan.name === "string" ? plan.name : plan.legacy_id, 60) };
}

function isServed({ status, paused }: JsonObject): boolean {
  return (status ?? "active") === "active" && paused !== true;
}

function checkedId(id: Json | undefined): string | null {
  return typeof id === "string" && isId(id) ? id : null;
}

/** The single zone of this name among those listed. */
function chosen({ name, accountId, id }: SoughtZone, listed: Listed): Result<ZoneRecord> {
  const namesakes = listed.get(nameKey(name)) ?? [];
  const zones = id === undefined ? namesakes : namesakes.filter((each) => each.id === id);
  if (id !== undefined && zones.length === 0) return otherZone({ name, accountId }, id, namesakes, listed);
  if (zones.length === 0) return failed(notFound(name, listed));
  const fitting = zones.filter((each) => accountId === null || (each.accountId ?? accountId) === accountId);
  const [zone, second] = fitting;
  if (zone === undefined) return failed(elsewhere(name, String(accountId), zones));
  if (second !== undefined) return failed(ambiguous(name, fitting));
  if (zone.id === null) return failed(unusable(name));
  return ok({ ...zone, id: zone.id });
}

function notFound(name: string, listed: Listed): Problem {
  const others = [...listed].flatMap(([other, zones]) => (zones.length > 0 ? [other] : []));
  return notVisible(name, others);
}

/** @param names of the zones that the credential can see */
export function notVisible(name: string, names: readonly string[]): Problem {
  const otherwise = "Check the name, or give the token the permission group Zone Read for the zone.";
  const advice = didYouMean(name, names, otherwise);
  return problem("zone_not_found", "Zone not found", `${name} is not visible to this token. ${advice}`);
}

function misnamed(name: string, id: string, actual: string): Problem {
  const detail = `The file gives ${name} the id ${id}, which is the zone ${actual} in Cloudflare. Nothing is sent for this zone. Correct the id, or leave it out to find the zone by name.`;
  return problem("zone_id_mismatch", "The zone's id is another zone's", detail);
}

/** @param actual the name of the zone with this id; null: unknown */
function otherId(name: string, id: string, namesakes: readonly SeenZone[], actual: string | null): Problem {
  const actualText = actual === null ? "" : `, which is the zone ${actual} there`;
  const detail = `The file gives ${name} the id ${id}${actualText}; in Cloudflare, ${name} is ${zonesText(namesakes)}. Nothing is sent for this zone. Correct the id, or leave it out to find the zone by name.`;
  return problem("zone_id_mismatch", "The zone's id is another zone's", detail);
}

function elsewhere(name: string, accountId: string, zones: readonly SeenZone[]): Problem {
  const detail = `The zone ${name} is not in the account ${accountId} that the file gives, but: ${zonesText(zones)}. Correct the account, or leave it out.`;
  return problem("zone_in_other_account", "Zone is in another account", detail);
}

function ambiguous(name: string, zones: readonly SeenZone[]): Problem {
  const detail = `${name} names ${zones.length} zones: ${zonesText(zones)}. Set id or account_id in the file.`;
  return problem("zone_ambiguous", "Zone name is ambiguous", detail);
}

function unusable(name: string): Problem {
  const detail = `The service lists ${name} with an invalid id: ids are letters, digits, - and _. Nothing is sent for this zone.`;
  return problem("unexpected_answer", "Unexpected zone from the service", detail);
}

function zonesText(zones: readonly SeenZone[]): string {
  return zones.map(({ id, accountId }) => `zone ${id ?? "?"} in account ${accountId ?? "?"}`).join(", ");
}

function denied(problems: readonly Problem[], { id, for: purpose }: SoughtZone): Result<never> {
  if (purpose === "account") return deniedFor(problems, ACCOUNT_DENIED);
  return deniedFor(problems, id === undefined ? SEARCH_DENIED : CHECK_DENIED);
}

const ACCOUNT_DENIED =
  "Give the token the permission group Zone Read, which finds the zone's account, or set account_id in the file.";
const SEARCH_DENIED =
  "Check the token. If it is right, give it the permission group Zone Read, which finds a zone by its name.";
const CHECK_DENIED =
  "Give the token the permission group Zone Read. Without it, the zone's id cannot be checked against its name, and nothing is sent.";

function deniedFor(problems: readonly Problem[], advice: string): Result<never> {
  return failed(...problems.map((each) => needing(each, advice)));
}
