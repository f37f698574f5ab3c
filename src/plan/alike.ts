import type { Item } from "../model/item.js";
import { equal } from "../model/json.js";
import type { ZonePlan } from "../model/plan.js";
import { ok, type Result } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import type { KindState } from "./change.js";
import { zoneDigest } from "./digest.js";

/** What a zone's plan is made of, besides what is the same for all zones of a run. */
export interface ZoneState {
  readonly zone: WantedZone;
  readonly zoneId: string;
  readonly states: readonly KindState[];
  readonly requests: number;
}

/**
 * The plans of a run for zones that stay as they are. In most zones of a fleet the same is declared and the same is live, but
 * for ids: where that leaves nothing to do and to tell in one of them, it does so in all.
 */
export class PlansAlike {
  /** The last one comes first. */
  #known: readonly { readonly of: ZoneState; readonly plan: ZonePlan }[] = [];

  /** The plan of a zone, which is built where none is known of a zone that is like it. */
  planned(state: ZoneState, build: () => Result<ZonePlan>): Result<ZonePlan> {
    const known = this.#known.find(({ of }) => areAlike(of, state));
    if (known !== undefined) return ok(planLike(known.plan, state));
    const plan = build();
    if (plan.ok && isSettled(state, plan.value))
      this.#known = [{ of: state, plan: plan.value }, ...this.#known.slice(0, MOST_KNOWN - 1)];
    return plan;
  }
}

function planLike(plan: ZonePlan, { zone: { name }, zoneId, requests }: ZoneState): ZonePlan {
  const digest = zoneDigest({ zoneId, calls: [], seen: [] });
  return { ...plan, zone: name, zoneId, counts: { ...plan.counts, requests }, digest };
}

/** A fleet has a few templates, and a zone is compared with each. */
const MOST_KNOWN = 8;

/**
 * Whether the files declare each live object as it is, none of them by its id, and there is nothing to tell of any. Then neither
 * ids nor what earlier applies have replaced made a difference.
 */
function isSettled({ states }: ZoneState, plan: ZonePlan): boolean {
  if (states.some(({ declared, base }) => [...declared, ...(base?.declared ?? [])].some(isPinned)))
    return false;
  const { zone: _, zoneId: _i, counts, digest: _d, optional: _o, ...told } = plan;
  const live = states.reduce((sum, state) => sum + state.live.items.length, 0);
  return counts.unchanged === live && Object.values(told).every(isNothing);
}

function isPinned({ body }: Declared): boolean {
  return body.id !== undefined;
}

function isNothing(part: unknown): boolean {
  if (part instanceof Map) return part.size === 0;
  return part === null || (Array.isArray(part) && part.length === 0);
}

function areAlike(one: ZoneState, other: ZoneState): boolean {
  return (
    areWantedAlike(one.zone, other.zone) &&
    one.states.length === other.states.length &&
    one.states.every((state, index) => areStatesAlike(state, other.states[index]))
  );
}

/** What they declare is compared kind by kind. A zone with tests is never settled: it has what these are run on. */
function areWantedAlike(one: WantedZone, other: WantedZone): boolean {
  if (one.isFromOutside || other.isFromOutside || other.tests !== undefined) return false;
  const said = ({ prune, optional, unmanaged }: WantedZone) => [prune, optional, unmanaged];
  return equal(said(one), said(other));
}

function areStatesAlike(one: KindState, other: KindState | undefined): boolean {
  return (
    other !== undefined &&
    one.kind === other.kind &&
    equal(one.declared, other.declared) &&
    areBasesAlike(one.base, other.base) &&
    areLiveAlike(one.live, other.live)
  );
}

function areBasesAlike(one: KindState["base"], other: KindState["base"]): boolean {
  if (one?.zone == null || other?.zone == null) return one === null && other === null;
  return (
    one.lacks === other.lacks && equal(one.declared, other.declared) && areWantedAlike(one.zone, other.zone)
  );
}

/** A kind that goes by more than its objects has something of each zone for it. */
function areLiveAlike(one: KindState["live"], other: KindState["live"]): boolean {
  return (
    other.unlisted !== true &&
    (other.warnings ?? []).length === 0 &&
    one.items.length === other.items.length &&
    one.context === other.context &&
    one.items.every((item, index) => areItemsAlike(item, other.items[index]))
  );
}

function areItemsAlike(one: Item, other: Item | undefined): boolean {
  return (
    other !== undefined &&
    one.ref.key === other.ref.key &&
    (one.ref.id === null) === (other.ref.id === null) &&
    haveSameFields(one.normal, other.normal) &&
    haveSameFields(one.raw ?? {}, other.raw ?? {}, OF_EACH)
  );
}

/** What the service gives each object of its own, and nothing that is declared depends on. */
const OF_EACH = ["id", "updated_at", "last_updated"];

/** @param besides fields that may differ */
function haveSameFields(one: SealedObject, other: SealedObject, besides: readonly string[] = []): boolean {
  let count = 0;
  for (const name of Object.keys(one)) {
    if (besides.includes(name)) continue;
    if (one[name] !== other[name] && !equal(one[name], other[name])) return false;
    count += 1;
  }
  return count === Object.keys(other).filter((name) => !besides.includes(name)).length;
}
