import type { DeclaredZone } from "../config/index.js";
import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { isManagedIn, type Kind, sectionsOf } from "../kinds/kind.js";
import { groupBy } from "../model/group-by.js";
import type { JsonObject } from "../model/json.js";
import { ZONE_READ } from "../model/permissions.js";

/** A permission group of API tokens, and what it is for. */
export interface NeededGroup {
  readonly group: string;
  readonly why: readonly string[];
}

/** What a token needs for zones, or for an account: to plan, and to apply. */
export interface Needs {
  readonly plan: readonly NeededGroup[];
  readonly apply: readonly NeededGroup[];
}

/** What zones need. */
export interface ZoneNeeds extends Needs {
  /** Those that need the same. */
  readonly zones: readonly string[];
}

/** What their account needs. */
export interface AccountNeeds extends ZoneNeeds {
  /** Null: the account of each of the zones; the files do not say which that is. */
  readonly account: string | null;
}

/** The least that an API token has to have for the files. */
export interface Permissions {
  readonly zones: readonly ZoneNeeds[];
  readonly accounts: readonly AccountNeeds[];
}

/** The least that the zones' files need. */
export function neededPermissions(zones: readonly DeclaredZone[]): Permissions {
  const opened = zones.map((zone) => zone.open());
  const ofZones = opened.map(({ name, id, accountId, sections }) => {
    const declared = kinds.filter((kind) => isManagedIn(kind, sections));
    const sectionOf = (kind: Kind) => declaredAs(kind, sections);
    const isInAccount = declared.some(({ service }) => service.permissions.account !== undefined);
    // A plan holds what is new in the files, an apply all that it writes to.
    const finding = [id === null ? "to find the zone by its name" : "to hold the zone's id against its name"];
    const asking = id !== null && accountId === null && isInAccount ? ["to find the zone's account"] : [];
    const common = groupsOf([...finding, ...asking].map((why) => [ZONE_READ, why]));
    const needs: Needs = {
      plan: [
        ...common,
        ...withoutCovered(
          declared,
          groupsOf(declared.map((kind) => [kind.service.permissions.read, sectionOf(kind)])),
        ),
      ],
      apply: [
        ...common,
        ...groupsOf(declared.map((kind) => [kind.service.permissions.write, sectionOf(kind)])),
      ],
    };
    return { zones: [name], ...needs };
  });
  const ofAccounts = opened.flatMap(({ name, accountId, sections }): readonly AccountNeeds[] => {
    const declared = kinds.filter((kind) => isManagedIn(kind, sections));
    const needed = accountKinds(declared, sections);
    const groups = groupsOf(
      declared.flatMap((kind): readonly (readonly [group: string, why: string])[] => {
        const { account } = kind.service.permissions;
        if (account === undefined) return [];
        const as = declaredAs(kind, sections);
        return [[account, needed.includes(kind) ? as : `${as} (${OPTIONAL})`]];
      }),
    );
    return groups.length === 0 ? [] : [{ account: accountId, zones: [name], plan: groups, apply: groups }];
  });
  return { zones: folded(ofZones), accounts: folded(ofAccounts) };
}

/** Without the group, all is planned, and a note says what is not visible. */
const OPTIONAL = "optional: to see which rules of the account skip it";

/** The sections that the files have of a kind. */
function declaredAs(kind: Kind, sections: JsonObject): string {
  return sectionsOf(kind)
    .filter((section) => section in sections)
    .join(" and ");
}

function accountKinds(
  declared: readonly Kind[],
  sections: Parameters<typeof declaredIn>[1],
): readonly Kind[] {
  return declared.filter((kind) =>
    declaredIn(kind, sections).some(({ body }) => kind.reads?.account(body) === true),
  );
}

function groupsOf(all: readonly (readonly [group: string, why: string])[]): readonly NeededGroup[] {
  return [...groupBy(all, ([group]) => group)].map(([group, each]) => ({
    group,
    why: each.map(([, why]) => why),
  }));
}

/**
 * A group that writes reads too: the service's documentation names both for what reads. So where a plan needs the one
 * anyway, it does not need the other.
 */
function withoutCovered(declared: readonly Kind[], groups: readonly NeededGroup[]): readonly NeededGroup[] {
  const covering = (group: string) =>
    declared.find(
      ({
        service: {
          permissions: { read, write },
        },
      }) => read === group && write !== group && groups.some((each) => each.group === write),
    )?.service.permissions.write;
  return groups.flatMap(({ group, why }) => {
    if (covering(group) !== undefined) return [];
    const covered = groups.filter((each) => covering(each.group) === group).flatMap((each) => each.why);
    return [{ group, why: [...covered, ...why] }];
  });
}

/** Those that need the same, as one. */
function folded<T extends ZoneNeeds>(all: readonly T[]): readonly T[] {
  const groups = new Map<string, T>();
  for (const each of all) {
    const { zones: _, ...needs } = each;
    const key = JSON.stringify(needs);
    const known = groups.get(key);
    groups.set(key, known === undefined ? each : { ...known, zones: [...known.zones, ...each.zones] });
  }
  return [...groups.values()];
}
