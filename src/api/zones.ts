import { domainToASCII } from "node:url";
import { cutEnd } from "../model/cut.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result, remarked } from "../model/problem.js";
import { isId } from "../model/read-api.js";
import type { Client } from "./client.js";
import { allPages, type Page, pagePath, SMALLEST_PAGE } from "./pages.js";
import { isDenied } from "./problems.js";
import { notServed } from "./zone-status.js";

export interface ZoneRecord {
  readonly id: string;
  /** Lower case, punycode, no trailing dot. */
  readonly name: string;
  /** null: the service does not say. */
  readonly accountId: string | null;
  /** Why what is written for it protects nothing yet; null: it does, or the service does not say. */
  readonly idle: Problem | null;
  readonly plan: PlanAtService | null;
}

/** What the owner of a zone pays for, as far as the service says. */
export interface PlanAtService {
  /** `free`, `pro`, `business` or `enterprise` of old. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

export interface SoughtZone {
  readonly name: string;
  /** null: any account's. */
  readonly accountId: string | null;
  /** The zone of this name has to be the one with this id. Absent: any. */
  readonly id?: string;
  /** Of a zone whose id is known: what it is looked for. Absent: whether the id is that of the name. */
  readonly for?: "account";
}

/** A zone whose id is given: nothing has to be found, but what is listed must agree. */
export interface PinnedZone extends SoughtZone {
  readonly id: string;
}

/** What the search needs of a client. */
export type ZoneList = Pick<Client, "list" | "page">;

/** The most zones that the service puts on a page, in its published OpenAPI document. */
const PER_PAGE = 50;

/** By name, so that a page shows whether a name on it goes on behind it. */
const ALL_ZONES = "/zones?order=name&direction=asc";

/**
 * Finds zones by name, each as it was given → its record, or why there is none: an id that is given with the name has
 * to be that of its record. One zone is asked for by name.
 * For more, the first page of all zones is read, and then whatever is fewer requests: the other pages, or one for
 * each name that the first page does not settle. Of a list that does not say how long it is, pages are read as long as
 * they are not more than the names. Where pages are read, a pinned zone that is on them is among the answers.
 */
export async function findZones(
  api: ZoneList,
  sought: readonly SoughtZone[],
  pinned: readonly PinnedZone[] = [],
): Promise<ReadonlyMap<string, Result<ZoneRecord>>> {
  if (sought.length <= 1) return byNames(api, sought);
  const first = await api.page(pagePath(ALL_ZONES, 1, PER_PAGE));
  if (!first.ok) return new Map(sought.map((zone) => [zone.name, denied(first.problems, zone)]));
  const pagesLeft = pagesAfter(first.value);
  if (!Number.isFinite(pagesLeft)) return amongUncounted(api, first.value, sought, pinned);
  const listed = byName(first.value.items);
  const isSettled = settledBy(listed, pagesLeft);
  const settled = sought.filter(isSettled).map((zone) => [zone.name, chosen(zone, listed)] as const);
  const open = sought.filter((zone) => !isSettled(zone));
  if (open.length > pagesLeft)
    return new Map([...settled, ...(await amongAll(api, first.value, open, pinned))]);
  return new Map([...pinnedIn(pinned, listed), ...settled, ...(await byNames(api, open))]);
}

/** A zone as the service lists it. */
export interface SeenZone {
  /** In lower case and punycode, if it is a name. Empty: the list has none. */
  readonly name: string;
  /** Null: not an id that may stand in a path. */
  readonly id: string | null;
  readonly accountId: string | null;
  readonly idle: Problem | null;
  readonly plan: PlanAtService | null;
}

/** All zones that the credential can see, in the order of their names. */
export async function allZones(api: Pick<ZoneList, "list">): Promise<Result<readonly SeenZone[]>> {
  const listed = await api.list(ALL_ZONES, { perPage: PER_PAGE });
  if (listed.ok) {
    const named = [...byName(listed.value).values()].flat().sort((a, b) => (a.name < b.name ? -1 : 1));
    return ok([...named, ...listed.value.filter(isObject).filter(isNameless).map(seenZone)]);
  }
  const remark = " Listing zones needs the permission group Zone Read.";
  return failed(
    ...listed.problems.map((each) => (isDenied(each) ? remarked(each, { after: remark }) : each)),
  );
}

/** Why the ids that were written down for zones are not those of their names, by the name. */
export async function heldAgainst(
  api: ZoneList,
  zones: readonly PinnedZone[],
): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const found = await findZones(api, zones);
  return new Map([...found].flatMap(([name, each]) => (each.ok ? [] : [[name, each.problems] as const])));
}

/** The accounts, and the plans, of zones whose ids are known: found together, once one of them is asked for. */
export class AccountSearch {
  readonly #api: ZoneList;
  readonly #zones: readonly PinnedZone[];
  readonly #told = new Map<string, ZoneRecord>();
  readonly #alone = new Map<string, ReturnType<typeof findZones>>();
  #together: ReturnType<typeof findZones> | null = null;

  /** @param zones that will probably be asked for */
  constructor(api: ZoneList, zones: readonly PinnedZone[]) {
    this.#api = api;
    this.#zones = zones;
  }

  async accountOf(name: string, id: string): Promise<Result<string>> {
    const record = (await this.#search(name, id)).get(name);
    if (record?.ok === false && !record.problems.every(({ code }) => code === "zone_not_found"))
      return record;
    if (record?.ok !== true) return accountUnknown(name, id);
    this.#told.set(name, record.value);
    return record.value.accountId === null ? accountUnknown(name, id) : ok(record.value.accountId);
  }

  /** Asks for a zone: `told` has it then, if it can be seen. */
  async ask(name: string, id: string): Promise<void> {
    const record = (await this.#search(name, id)).get(name);
    if (record?.ok === true) this.#told.set(name, record.value);
  }

  /** What the search has shown of a zone that was asked for: then its id is that of its name. */
  told(name: string): ZoneRecord | null {
    return this.#told.get(name) ?? null;
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

function accountDenied(problems: readonly Problem[]): Result<never> {
  const wayOut =
    " Looking up the zone's account needs the permission group Zone Read; with account_id in the file it is not needed.";
  return failed(...problems.map((each) => (isDenied(each) ? remarked(each, { after: wayOut }) : each)));
}

/** The zone is known, and its account is not. */
export function accountUnknown(name: string, id: string): Result<never> {
  const detail = `The account's managed rulesets have to be read for ${name}, and the zone list does not say which account the zone ${id} belongs to. Give account_id in the file.`;
  return failed(problem("account_unknown", "The zone's account is not known", detail));
}

/** The service may ignore the filter, so names are compared here too. */
async function byNames(
  api: ZoneList,
  sought: readonly SoughtZone[],
): Promise<ReadonlyMap<string, Result<ZoneRecord>>> {
  const found = sought.map(async (zone) => {
    const path = `/zones?name=${encodeURIComponent(nameKey(zone.name))}`;
    const listed = await api.list(path, { perPage: PER_PAGE });
    if (!listed.ok) return [zone.name, denied(listed.problems, zone)] as const;
    const all = byName(listed.value);
    const others = all.get(nameKey(zone.name)) ?? [];
    const { id } = zone;
    const isOther = id !== undefined && !others.some((each) => each.id === id);
    const actual = isOther ? (nameIn(all, id) ?? (await nameOf(api, id))) : null;
    return [zone.name, isOther ? otherZone(zone, id, others, actual) : chosen(zone, all)] as const;
  });
  return new Map(await Promise.all(found));
}

/** What the service calls the zone of an id, for a message that is worth reading all zones. Null: it does not say. */
async function nameOf(api: ZoneList, id: string): Promise<string | null> {
  const listed = await api.list(ALL_ZONES, { perPage: PER_PAGE });
  return listed.ok ? nameIn(byName(listed.value), id) : null;
}

/** The name under which an id is listed; null: under none. */
function nameIn(listed: Listed, id: string): string | null {
  return [...listed.values()].flat().find((each) => each.id === id)?.name ?? null;
}

/** An id is given, and none of the zones of the name has it. */
function otherZone(
  { name }: SoughtZone,
  id: string,
  named: readonly SeenZone[],
  actual: string | null,
): Result<never> {
  if (named.length > 0) return failed(otherId(name, id, named, actual));
  return failed(actual === null ? notFound(name) : misnamed(name, id, actual));
}

/** Reads on after the first page to the end. */
async function amongAll(
  api: ZoneList,
  first: Page,
  sought: readonly SoughtZone[],
  pinned: readonly PinnedZone[],
): Promise<ReadonlyMap<string, Result<ZoneRecord>>> {
  const firstPath = pagePath(ALL_ZONES, 1, PER_PAGE);
  const read = async (path: string) => (path === firstPath ? ok(first) : api.page(path));
  const all = await allPages(read, ALL_ZONES, { perPage: PER_PAGE });
  if (!all.ok) return new Map(sought.map((zone) => [zone.name, denied(all.problems, zone)]));
  const listed = byName(all.value);
  const found = sought.map((zone) => [zone.name, chosen(zone, listed)] as const);
  return new Map([...pinnedIn(pinned, listed), ...found]);
}

/**
 * The same of a list that does not say how long it is: page by page, until all are settled, the list ends, or as many
 * pages were read as names were sought. What is left then is asked for by name.
 */
async function amongUncounted(
  api: ZoneList,
  first: Page,
  sought: readonly SoughtZone[],
  pinned: readonly PinnedZone[],
): Promise<ReadonlyMap<string, Result<ZoneRecord>>> {
  const items = new Map(first.items.map((item) => [idOf(item), item]));
  let isEnd = first.items.length < SMALLEST_PAGE;
  for (let number = 2; !isEnd && number <= sought.length + 1; number++) {
    if (sought.every(settledBy(byName([...items.values()]), Number.POSITIVE_INFINITY))) break;
    const page = await api.page(pagePath(ALL_ZONES, number, PER_PAGE));
    if (!page.ok) return withoutRest(items, sought, pinned, page.problems);
    const known = items.size;
    for (const item of page.value.items) items.set(idOf(item), item);
    isEnd = items.size === known || page.value.items.length < first.items.length;
  }
  const listed = byName([...items.values()]);
  const isSettled = settledBy(listed, isEnd ? 0 : Number.POSITIVE_INFINITY);
  const settled = sought.filter(isSettled).map((zone) => [zone.name, chosen(zone, listed)] as const);
  const open = sought.filter((zone) => !isSettled(zone));
  return new Map([...pinnedIn(pinned, listed), ...settled, ...(await byNames(api, open))]);
}

/** What a page that could not be read leaves. */
function withoutRest(
  items: ReadonlyMap<Json, Json>,
  sought: readonly SoughtZone[],
  pinned: readonly PinnedZone[],
  problems: readonly Problem[],
): ReadonlyMap<string, Result<ZoneRecord>> {
  const listed = byName([...items.values()]);
  const isSettled = settledBy(listed, Number.POSITIVE_INFINITY);
  const found = sought.map(
    (zone) => [zone.name, isSettled(zone) ? chosen(zone, listed) : denied(problems, zone)] as const,
  );
  return new Map([...pinnedIn(pinned, listed), ...found]);
}

/** A list may move while it is paged, and have an item twice. */
function idOf(item: Json): Json {
  return isObject(item) ? (item.id ?? item) : item;
}

/** Pinned zones whose ids are listed: their records, or why the ids are not theirs. */
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

/** How many pages there are behind the first; infinite: the service does not say. */
function pagesAfter({ items, info }: Page): number {
  const { totalPages = null, totalCount = null, perPage = null } = info ?? {};
  if (totalPages === null && totalCount === null) return items.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  // Where the two disagree, a zone on a page that is not asked for must not be taken for absent.
  const byCount = Math.ceil((totalCount ?? 0) / (perPage || PER_PAGE));
  return Math.max(totalPages ?? 0, byCount, 1) - 1;
}

/**
 * Which zones the first page settles. Found is not enough: another account may have a zone of the same name on a
 * later page. It has not if the page is in order and goes on to a later name, or if the account is given.
 */
function settledBy(listed: Listed, pagesLeft: number): (zone: SoughtZone) => boolean {
  const names = [...listed.keys()];
  const inOrder = names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name);
  const last = names.at(-1) ?? "";
  return ({ name, accountId, id }) => {
    const key = nameKey(name);
    const here = listed.get(key) ?? [];
    if (pagesLeft === 0) return true;
    if (id !== undefined) return here.some((each) => each.id === id);
    if (accountId !== null) return here.some((each) => each.accountId === accountId);
    return here.length > 0 && inOrder && key < last;
  };
}

/** A zone's name as names are compared. */
function nameKey(name: string): string {
  const bare = name.replace(/\.$/, "");
  return domainToASCII(bare) || bare.toLowerCase();
}

/** Zones by name, in the order in which names first came. */
type Listed = ReadonlyMap<string, readonly SeenZone[]>;

function byName(items: readonly Json[]): Listed {
  const listed = new Map<string, SeenZone[]>();
  for (const item of items) {
    if (!isObject(item) || isNameless(item)) continue;
    const zone = seenZone(item);
    listed.set(zone.name, [...(listed.get(zone.name) ?? []), zone]);
  }
  return listed;
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

/** `legacy_id` is not in the published OpenAPI document, and in every answer that users show. */
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

/** The one zone of this name among those that are listed. */
function chosen({ name, accountId, id }: SoughtZone, listed: Listed): Result<ZoneRecord> {
  const all = listed.get(nameKey(name)) ?? [];
  const named = id === undefined ? all : all.filter((each) => each.id === id);
  if (id !== undefined && named.length === 0)
    return otherZone({ name, accountId }, id, all, nameIn(listed, id));
  if (named.length === 0) return failed(notFound(name));
  const fitting = named.filter((each) => accountId === null || (each.accountId ?? accountId) === accountId);
  const [zone, another] = fitting;
  if (zone === undefined) return failed(elsewhere(name, String(accountId), named));
  if (another !== undefined) return failed(ambiguous(name, fitting));
  if (zone.id === null) return failed(unusable(name));
  return ok({ ...zone, id: zone.id });
}

function notFound(name: string): Problem {
  const detail = `The service does not list ${name} for this credential. Check the name. If it is right, the credential cannot see the zone: the token needs the permission group Zone Read for it.`;
  return problem("zone_not_found", "No zone of this name", detail);
}

function misnamed(name: string, id: string, actual: string): Problem {
  const detail = `The file gives ${name} the id ${id}, which is the zone ${actual} at the service. Nothing is sent for this zone. Correct the id, or leave it out to find the zone by name.`;
  return problem("zone_id_mismatch", "The zone's id is another zone's", detail);
}

/** @param actual what the service calls the zone of the id; null: it does not say */
function otherId(name: string, id: string, named: readonly SeenZone[], actual: string | null): Problem {
  const is = actual === null ? "" : `, which is the zone ${actual} there`;
  const detail = `The file gives ${name} the id ${id}${is}; at the service ${name} is ${zonesText(named)}. Nothing is sent for this zone. Correct the id, or leave it out to find the zone by name.`;
  return problem("zone_id_mismatch", "The zone's id is another zone's", detail);
}

function elsewhere(name: string, accountId: string, zones: readonly SeenZone[]): Problem {
  const detail = `The zone ${name} is not in the account ${accountId} that the file gives, but: ${zonesText(zones)}. Correct the account, or leave it out.`;
  return problem("zone_in_other_account", "The zone is in another account", detail);
}

function ambiguous(name: string, zones: readonly SeenZone[]): Problem {
  const detail = `There are ${zones.length} zones ${name}: ${zonesText(zones)}. Give the zone's id or its account in the file.`;
  return problem("zone_ambiguous", "Several zones of this name", detail);
}

function unusable(name: string): Problem {
  const detail = `The service gives the zone ${name} an id that is none: ids are letters, digits, - and _. Nothing is sent for this zone.`;
  return problem("unexpected_answer", "The service gave a zone of another shape", detail);
}

function zonesText(zones: readonly SeenZone[]): string {
  return zones.map(({ id, accountId }) => `zone ${id ?? "?"} in account ${accountId ?? "?"}`).join(", ");
}

function denied(problems: readonly Problem[], { id, for: what }: SoughtZone): Result<never> {
  if (what === "account") return accountDenied(problems);
  const remark =
    id === undefined
      ? " Finding a zone by its name needs the permission group Zone Read."
      : " Holding the zone's id against its name needs the permission group Zone Read; nothing is sent for a zone of which that cannot be done.";
  return failed(...problems.map((each) => (isDenied(each) ? remarked(each, { after: remark }) : each)));
}
