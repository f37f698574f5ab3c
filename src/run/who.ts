import type { Client } from "../api/client.js";
import { naming } from "../api/problems.js";
import { attribute } from "../audit/attribute.js";
import { type Actor, type AuditEntry, entryOf } from "../audit/entry.js";
import type { Target } from "../audit/touched.js";
import { openRepository, timeOfCommit } from "../git/repository.js";
import { kindNamed } from "../kinds/index.js";
import { objectAfter } from "../kinds/object-after.js";
import { cutEnd } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { ACCOUNT_SETTINGS } from "../model/permissions.js";
import { note, type Problem } from "../model/problem.js";
import { says } from "../model/sentence.js";
import type { PlanDocument, PlannedChange, Attribution as Who } from "../plan/generated/plan-document.js";
import type { WhoShown } from "./files.js";
import type { ZoneToApply } from "./zones.js";

/** The authors of drift and of undeclared objects, in the order of the document. */
interface Makers {
  readonly changes: readonly (Who | undefined)[];
  readonly unmanaged: readonly (Who | undefined)[];
}

const NOBODY: Makers = { changes: [], unmanaged: [] };

/** The authors, with notes on them. */
export interface Attributed {
  readonly who: Makers;
  readonly problems: readonly Problem[];
}

/** For runs without --who. */
export const NOT_ASKED: Attributed = { who: NOBODY, problems: [] };

/** An object that was changed outside the files. */
interface Moved {
  readonly zone: string;
  readonly target: Target;
}

const DAY_MS = 86_400_000;
/** The service answers for at most this many days. */
const KEPT_DAYS = 30;
/** With more zones, the log of the whole account is read, because addresses have a length limit. */
const MAX_ZONES_NAMED = 20;
/** Pages have 1,000 entries. A longer log is not read: an attacker could make it endless. */
const MOST_PAGES = 100;
/** Entries up to this far in the future count, because clocks differ. */
const CLOCKS_APART_MS = 300_000;

/**
 * Reads the audit logs of the accounts with changes made outside the files, one query for each account and page. The plan
 * does not change. A log that cannot be read is a note.
 */
export async function attributed(
  document: PlanDocument,
  zones: readonly Pick<ZoneToApply, "name" | "accountId">[],
  show: WhoShown,
  cwd: string,
  client: Client,
): Promise<Attributed> {
  const changes = movedIn(document);
  const unmanaged = cameIn(document);
  const moved = [...changes, ...unmanaged].filter((each) => each !== null);
  const nowMs = Date.now();
  const sinceMs = await sinceOf(document, cwd, nowMs);
  const problems: Problem[] = lacksBase(document) ? [WITHOUT_BASE] : [];
  if (moved.length === 0) return { ...NOT_ASKED, problems };

  let entries: readonly AuditEntry[] = [];
  const byName = new Map(zones.map((zone) => [zone.name, zone]));
  const membersOfAccounts = await Promise.all(
    [...groupBy(moved, ({ zone }) => zone).keys()].map(async (name) => {
      const account = await byName.get(name)?.accountId();
      return { name, account: account?.ok === true ? account.value : null };
    }),
  );
  const ids = new Map(moved.map(({ zone, target }) => [zone, target.zoneId]));
  const unread = new Set(membersOfAccounts.filter(({ account }) => account === null).map(({ name }) => name));
  for (const [account, members] of groupBy(membersOfAccounts, ({ account: id }) => id)) {
    if (account === null) continue;
    const names = members.map(({ name }) => name);
    const zoneIds = names.flatMap((name) => ids.get(name) ?? []);
    const query = queryOf(account, zoneIds, sinceMs, nowMs);
    const read = await client.list(query, { mostPages: MOST_PAGES }, { keep: aboutThese(new Set(zoneIds)) });
    if (read.ok) entries = entries.concat(read.value.flatMap((each) => entryOf(each) ?? []));
    else {
      for (const name of names) unread.add(name);
      problems.push(...client.redact(read.problems).map(notKnown));
    }
  }
  const recent = entries.filter(({ timeMs }) => timeMs >= sinceMs && timeMs <= nowMs + CLOCKS_APART_MS);
  const inZone = groupBy(recent, zoneOf);
  const whoOf = (each: Moved | null): Who | undefined => {
    if (each === null || unread.has(each.zone)) return undefined;
    const { found, entries: calls } = attribute(each.target, inZone.get(each.target.zoneId) ?? []);
    return { found, by: calls.map((entry) => actorOf(entry, show)) };
  };
  const who = { changes: changes.map(whoOf), unmanaged: unmanaged.map(whoOf) };
  const isOlder = [...who.changes, ...who.unmanaged].some((each) => each?.found === "none");
  if (isOlder && sinceMs > oldestAt(nowMs)) problems.push(notBefore(sinceMs));
  return { who, problems };
}

function zoneOf({ path }: Pick<AuditEntry, "path">): string | undefined {
  return /^\/zones\/([^/]+)\//.exec(path)?.[1];
}

/** Keeps nothing but the id of entries about other zones, because pages can be large. */
function aboutThese(zoneIds: ReadonlySet<string>): (item: Json) => Json {
  return (item) => {
    const entry = entryOf(item);
    if (entry !== null && zoneIds.has(zoneOf(entry) ?? "")) return item;
    return { id: (isObject(item) ? item.id : null) ?? null };
  };
}

/** Adds the authors to the document; without authors, removes them for a saved plan. */
export function withWho(document: PlanDocument, { changes, unmanaged }: Makers = NOBODY): PlanDocument {
  const withWho = <Each extends { who?: Who }>({ who: _, ...each }: Each, who: Who | undefined) =>
    who === undefined ? each : { ...each, who };
  return {
    ...document,
    changes: document.changes.map((each, index) => withWho(each, changes[index])),
    unmanaged: document.unmanaged.map((each, index) => withWho(each, unmanaged[index])),
  };
}

/** In a plan of drift, every change was made outside the files; without a base, the origin is unknown. */
function isMovedOutside({ origin }: PlannedChange, { inputs }: PlanDocument): boolean {
  return inputs.about === "drift" || origin === "drift" || origin === "conflict" || origin === "mixed";
}

function lacksBase({ changes, inputs, base }: PlanDocument): boolean {
  return inputs.about !== "drift" && base === undefined && changes.length > 0;
}

const WITHOUT_BASE: Problem = note(
  "who_not_known",
  "Actor unknown",
  says`Without ${{ flag: "base" }}, a plan cannot separate changes outside the files from changes in them, so it names no actor.`,
);

/** The commit of the base, as far as the log goes back. */
async function sinceOf({ base }: PlanDocument, cwd: string, nowMs: number): Promise<number> {
  const oldest = oldestAt(nowMs);
  const repository = base?.startsWith("git:") === true ? openRepository(cwd) : null;
  if (repository?.ok !== true) return oldest;
  const time = await timeOfCommit(repository.value, (base ?? "").slice("git:".length));
  return time.ok ? Math.max(time.value, oldest) : oldest;
}

function oldestAt(nowMs: number): number {
  return nowMs - KEPT_DAYS * DAY_MS;
}

/** A change without an entry may be older than the log, which is no gap in the log. */
function notBefore(sinceMs: number): Problem {
  const time = new Date(sinceMs).toISOString();
  return note(
    "who_not_known",
    "Actor unknown",
    `The audit log, read from ${time} on, has no entry for some changes.`,
  );
}

function queryOf(account: string, zoneIds: readonly string[], sinceMs: number, nowMs: number): string {
  const named = zoneIds.length <= MAX_ZONES_NAMED ? zoneIds : [];
  const query = new URLSearchParams({
    since: new Date(sinceMs).toISOString(),
    before: new Date(nowMs).toISOString(),
    direction: "desc",
    limit: "1000",
  });
  for (const id of named) query.append("zone_id", id);
  return `/accounts/${account}/logs/audit?${query}`;
}

function notKnown(reason: Problem): Problem {
  const why =
    reason.code === "list_too_long"
      ? `The audit log has more than ${MOST_PAGES} pages, and was not read.`
      : `The audit log cannot be read. ${naming(reason, ACCOUNT_SETTINGS.read).detail}`;
  return note("who_not_known", "Actor unknown", why);
}

function movedIn(document: PlanDocument): readonly (Moved | null)[] {
  const calls = groupBy(
    document.calls.flatMap(({ changes, path }) => changes.map((index) => ({ index, path }))),
    ({ index }) => index,
  );
  return document.changes.map((change, index) => {
    if (!isMovedOutside(change, document)) return null;
    const { zone, action, zone_id: zoneId, id, key, fields, taken_over: takenOver } = change;
    // A change that is live already is described as it happened, and any other change as the way back.
    const [came, gone] = takenOver === true ? ["create", "delete"] : ["delete", "create"];
    const moved = action === gone ? "gone" : action === came ? "came" : "changed";
    const target: Target = {
      zoneId,
      id: moved === "gone" ? null : id,
      key,
      ...pathsOf(change, takenOver === true ? null : (calls.get(index) ?? []).map(({ path }) => path)),
      fields:
        moved === "gone"
          ? []
          : fields.map(({ path, before, after }) => ({ path, live: takenOver === true ? after : before })),
      moved,
    };
    return { zone, target };
  });
}

/** The calls that change the object. Where its parts have their own paths, the changed fields say which. */
function pathsOf(
  { kind: name, zone_id: zoneId, fields }: PlannedChange,
  called: Target["paths"],
): Pick<Target, "paths" | "fieldsIn" | "withFields"> {
  const kind = kindNamed(name);
  const at = kind?.at;
  if (kind !== undefined && at?.as === "rules")
    return {
      paths: called,
      // The names of managed rulesets come from other reads, so their rules are compared as they were sent. A sent position
      // cannot be compared with a place in the live list.
      withFields: ({ position: _, ...rule }) =>
        at.rulesets === undefined
          ? { ...rule, ...(kind.normalOf(rule, null, []) as JsonObject | null) }
          : rule, // no rule has a secret
    };
  if (kind === undefined || at?.as !== "object" || at.partOf === undefined) return { paths: called };
  const parts = new Set(fields.map(({ path }) => at.partOf?.(path) ?? path));
  return {
    paths: [...parts].map((part) => `/zones/${[zoneId, ...at.path, part].join("/")}`),
    fieldsIn: (path, body) => (kind.normalOf(objectAfter(at, {}, path, body), null, []) ?? {}) as JsonObject, // secrets are unsealed here
  };
}

/** An undeclared object was created outside the files. No call changes it, and the document does not have its fields. */
function cameIn({ unmanaged, zones }: PlanDocument): readonly (Moved | null)[] {
  const ids = new Map(zones.map(({ zone, zone_id: id }) => [zone, id]));
  return unmanaged.map(({ zone, id, key, known, fields }) => {
    const zoneId = ids.get(zone) ?? null;
    if (known !== "not_listed" || zoneId === null) return null;
    const moved = fields === undefined ? "came" : "changed";
    return { zone, target: { zoneId, id, key, paths: null, fields: [], moved } };
  });
}

function actorOf({ actor, timeMs }: AuditEntry, show: WhoShown): Who["by"][number] {
  const time = new Date(timeMs).toISOString();
  return { who: nameOf(actor, show), through: actor.through, time };
}

const MAX_NAME_CHARS = 100;

function nameOf({ as, name }: Actor, show: WhoShown): string {
  const role = { user: "a user", token: "a token", service: "the service", somebody: "unknown actor" }[as];
  if (show === "role" || name === null) return role;
  const shown = cutEnd(name, MAX_NAME_CHARS);
  return as === "token" ? `token ${JSON.stringify(shown)}` : shown;
}
