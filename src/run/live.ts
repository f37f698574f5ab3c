import type { Client } from "../api/client.js";
import { namingPermissions } from "../api/problems.js";
import type { ZoneReads } from "../api/reads.js";
import { type AccountSearch, accountUnknown, type ZoneRecord } from "../api/zones.js";
import type { Kind, Live, ZoneReader } from "../kinds/kind.js";
import { readForExport, readLive } from "../kinds/read.js";
import { liveSecrets } from "../kinds/secret-fields.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import type { Json } from "../model/json.js";
import { ok, type Result } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";

/** Where a zone is at the service. */
export interface ZonePlace {
  readonly id: string;
  /** Null: unknown from the files and the zone list. */
  readonly accountId: string | null;
  /** The zone's entry in the zone list. Null: not read. */
  readonly listed: ListedAs | null;
  /** Looks the account up. Absent: the zone list is read already. */
  readonly accounts?: AccountSearch;
}

export type ListedAs = Pick<ZoneRecord, "idle" | "plan">;

export interface ZoneToReadLive {
  readonly name: string;
  readonly place: Pick<ZonePlace, "id" | "accountId" | "accounts">;
  /** Places in the files. Absent: no file declares the zone. */
  readonly locate?: ZoneReader["locate"];
}

/** The only reader of live state. It hides the secrets of live objects in all messages. */
export interface LiveReader {
  read(
    kind: Kind,
    declared: readonly Declared[],
    former?: readonly Declared[],
    api?: ReadApi,
  ): Promise<Result<Live>>;
  /** For a file that declares nothing yet. */
  readForExport(kind: Kind): Promise<Result<Live>>;
  /** The same zone with the places of other files. */
  locating(locate: ZoneReader["locate"]): LiveReader;
}

/** @param secrets is filled with live values that may be secret */
export function liveReader(
  { name, place, locate = () => null }: ZoneToReadLive,
  client: Pick<Client, "addSecrets">,
  reads: ReadApi,
  secrets: Set<Json> = new Set(),
): LiveReader {
  const accountId = accountFinder(name, place);
  const zoneFor = ({ service: { permissions } }: Kind, api: ReadApi): ZoneReader => ({
    api: namingPermissions(api, permissions),
    zoneId: place.id,
    accountId,
    locate,
  });
  const hide = (kind: Kind, { items }: Live) => {
    const hidden = liveSecrets(kind, items);
    client.addSecrets(hidden);
    for (const each of hidden) secrets.add(each);
  };
  return {
    locating: (other) => liveReader({ name, place, locate: other }, client, reads, secrets),
    async read(kind, declared, former = [], api = reads) {
      const live = await readLive(kind, zoneFor(kind, api), declared, former);
      if (live.ok) hide(kind, live.value);
      return live;
    },
    async readForExport(kind) {
      const found = await readForExport(kind, zoneFor(kind, reads));
      if (found.ok) hide(kind, found.value);
      return found;
    },
  };
}

/** A section of a zone, and the declarations by which its objects are found. */
export interface SectionToRead {
  readonly kind: Kind;
  /** The zone that has the section: in the files, or in the base. */
  readonly zone: WantedZone;
  readonly declared: readonly Declared[];
  readonly reading: readonly Declared[];
  /** The declarations in the base. Absent: they do not matter. */
  readonly former?: readonly Declared[];
}

/** Reads sections in parallel. Those not read again come second, so that they get the fresh reads they share. */
export async function readAgain(
  all: readonly SectionToRead[],
  reader: LiveReader,
  reads: ZoneReads,
): Promise<readonly Result<Live>[]> {
  const begun = all.map((section) => {
    const { kind, reading, former } = section;
    const isFresh = reads.again?.has(kind.name) ?? true;
    return { ...section, fresh: isFresh ? reader.read(kind, reading, former) : null };
  });
  await Promise.all(begun.map(({ fresh }) => fresh));
  return Promise.all(
    begun.map(
      ({ kind, reading, former, fresh }) => fresh ?? reader.read(kind, reading, former, reads.asBefore),
    ),
  );
}

export function accountFinder(
  name: string,
  { id, accountId, accounts }: ZoneToReadLive["place"],
): ZoneReader["accountId"] {
  return async () => {
    if (accountId !== null) return ok(accountId);
    return accounts === undefined ? accountUnknown(name, id) : accounts.accountOf(name, id);
  };
}
