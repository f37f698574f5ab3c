import { declaredSecrets } from "../kinds/secret-fields.js";
import { matchLetGo } from "../match/let-go.js";
import { type CompareOptions, type KindState, type Matched, match } from "../match/match.js";
import { withoutReferences, withoutSensitive } from "../match/seal.js";
import type { Service, WantedZone } from "../model/declared-zone.js";
import { EVERYTHING, isAmong, type Picking, type Triple } from "../model/item.js";
import type { Json } from "../model/json.js";
import type { SectionNotPlanned, ZonePlan } from "../model/plan.js";
import { asWarning, type Problem } from "../model/problem.js";
import { type Difference, pendingChanges } from "./differences.js";
import { beyondPlan, refusedWithout, switchedOff, tooMany, wholeProblems } from "./section-problems.js";

export interface ZoneToPlan {
  readonly wanted: WantedZone;
  readonly place: ZonePlan["place"];
  readonly service: Service;
  /** Its Cloudflare plan: `pro`. Absent: not read. */
  readonly cloudflarePlan?: string | undefined;
  /** How many requests it took to read the zone. */
  readonly requests: number;
}

/** A section of a zone, compared object by object between the files, the base and the live zone. */
export interface Section {
  readonly state: KindState;
  readonly matched: Matched;
  /** Changes that need a call. */
  readonly pending: readonly Difference[];
  readonly problems: readonly Problem[];
  /** Objects that stay unchanged, since the service would refuse their declarations. Absent: none. */
  readonly leftOut?: readonly SectionNotPlanned[];
  /** The secrets of the section in the files and in the base. Journals never have them. */
  readonly secrets: () => readonly Json[];
}

export function compareSection(
  state: KindState,
  { wanted: zone, service, cloudflarePlan }: ZoneToPlan,
  options: CompareOptions,
): Section {
  const { kind, letGo } = state;
  const { picking = EVERYTHING, isToTell = false, config = [] } = options;
  const matched = letGo === undefined ? match(state, zone, options) : matchedLetGo(state, picking);
  const pending = pendingChanges(kind, matched);
  const refused = refusedWithout(state, pending, zone, config);
  const problems = [
    ...matched.problems,
    ...wholeProblems(kind, matched, service, zone),
    ...tooMany(kind, matched, service, zone),
    ...beyondPlan(state, pending, zone, cloudflarePlan),
    ...switchedOff(state, matched, zone),
  ];
  const secrets = () => secretsOf(state, zone);
  // Drift is reported even if it cannot be reverted.
  if (isToTell) {
    const warnings = refused.flatMap((each) => each.problems.map(asWarning));
    return { state, secrets, matched, pending, problems: [...problems, ...warnings] };
  }
  const leftOut = refused.map(({ want, problems: why }) => ({
    section: kind.section,
    object: want.ref.key,
    problems: why,
  }));
  const left = new Set(refused.map(({ triple }) => triple));
  const meant = pending.filter(({ triple }) => !left.has(triple));
  return { state, secrets, matched: withoutChanges(matched, left), pending: meant, leftOut, problems };
}

function withoutChanges(matched: Matched, left: ReadonlySet<Triple>): Matched {
  return {
    ...matched,
    triples: matched.triples.filter((triple) => !left.has(triple)),
    kept: [...matched.kept, ...[...left].flatMap(({ live }) => live ?? [])],
  };
}

/** A section that the files no longer have. All of it stays as it is live. */
function matchedLetGo({ kind, base, live, letGo: letGoAs }: KindState, picking: Picking): Matched {
  const read = letGoAs === "unread" ? null : live;
  const { takenOver, ...letGo } = matchLetGo(base, base.declared, read);
  return {
    ...letGo,
    triples: [],
    takenOver: takenOver.filter((each) => isAmong(picking, each)),
    kept: live.items.map((item) => withoutSensitive(kind, withoutReferences(item))),
    unmanaged: [],
    problems: [],
  };
}

function secretsOf({ kind, declared, base }: KindState, zone: WantedZone): readonly Json[] {
  return [...declaredSecrets(kind, declared, zone), ...declaredSecrets(kind, base.declared, base.zone)];
}
