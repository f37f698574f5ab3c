import type { DeclaredZone } from "../config/index.js";
import { declaredIn } from "../config/zone.js";
import { managedKinds } from "../kinds/index.js";
import { type Kind, sectionsOf } from "../kinds/kind.js";
import { groupBy } from "../model/group-by.js";
import type { JsonObject } from "../model/json.js";
import { ZONE_READ } from "../model/permissions.js";

/** A permission group of API tokens, and the sections or tasks that need it. */
export interface NeededGroup {
  readonly group: string;
  readonly why: readonly string[];
}

/** The groups that a token needs, to plan and to apply. */
export interface Needs {
  readonly plan: readonly NeededGroup[];
  readonly apply: readonly NeededGroup[];
}

/** The groups that a token needs for zones. */
export interface ZoneNeeds extends Needs {
  /** Zones with the same needs. */
  readonly zones: readonly string[];
}

/** The groups that a token needs for the account of zones. */
export interface AccountNeeds extends ZoneNeeds {
  /** Null: the files do not name the zones' account. */
  readonly account: string | null;
}

/** The least permissions that an API token needs for the files. */
export interface Permissions {
  readonly zones: readonly ZoneNeeds[];
  readonly accounts: readonly AccountNeeds[];
}

export function neededPermissions(zones: readonly DeclaredZone[]): Permissions {
  const opened = zones.map((zone) => zone.open());
  const ofZones = opened.map(({ name, id, accountId, sections }) => {
    const declared = managedKinds(sections);
    const sectionOf = (kind: Kind) => declaredAs(kind, sections);
    const isInAccount = declared.some(({ service }) => service.permissions.account !== undefined);
    // A plan checks the ids that are new in the files, and an apply those of the zones that it writes to.
    const finding = [id === null ? "finding the zone by name" : "checking the zone's id"];
    const asking = id !== null && accountId === null && isInAccount ? ["finding the zone's account"] : [];
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
    const declared = managedKinds(sections);
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

/** Without the group, a plan is complete, and a note names the rules that are not visible. */
const OPTIONAL = "optional: shows account rules that skip it";

/** The sections of a kind in the files. */
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
    declaredIn(kind, sections).some(({ body }) => kind.at.reads?.account?.(body) === true),
  );
}

function groupsOf(all: readonly (readonly [group: string, why: string])[]): readonly NeededGroup[] {
  return [...groupBy(all, ([group]) => group)].map(([group, each]) => ({
    group,
    why: each.map(([, why]) => why),
  }));
}

/** The service documents that a Write group reads too, so a plan that needs it does not need the Read group. */
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

/** Merges entries with the same needs. */
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
