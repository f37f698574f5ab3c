import { idOf } from "../ids.js";
import { isWrite } from "../log.js";
import type { Edit } from "../resources/index.js";
import type { Faults, Requests, Strike } from "./faults.js";
import type { FaultName } from "./table.js";

/** The fault and edits of one request. */
export interface Struck {
  readonly fault: StrikingFault | null;
  readonly before: readonly Edit[];
  readonly after: readonly Edit[];
}

export interface StrikingFault {
  readonly name: FaultName;
  readonly seconds: number;
}

/** Decides for each request in turn which faults and edits hit it. */
export function striking({
  seed = 1,
  schedule = [],
  rates = [],
}: Faults): (method: string, path: string) => Struck {
  const triggers: readonly Trigger[] = [
    ...schedule.map((each) => ({ strike: each, fits: fitting(each), isDue: isNth(each.nth ?? 1) })),
    ...rates.map((rated, index) => ({
      strike: rated,
      fits: fitting(rated),
      isDue: byChance(rated.chance, [seed, index]),
    })),
  ];
  return (method, path) => {
    const due = triggers.filter(({ fits, isDue }) => fits(method, path) && isDue(method, path));
    const strikes = due.map(({ strike }) => strike);
    const [fault] = strikes.flatMap((each) => ("fault" in each ? [each] : []));
    return {
      fault: fault === undefined ? null : { name: fault.fault, seconds: fault.seconds ?? 1 },
      before: strikes.flatMap((each) => ("before" in each ? [each.before] : [])),
      after: strikes.flatMap((each) => ("after" in each ? [each.after] : [])),
    };
  };
}

interface Trigger {
  readonly strike: Strike;
  readonly fits: Condition;
  /** Called once for each matching request, because it counts them. */
  readonly isDue: Condition;
}

type Condition = (method: string, path: string) => boolean;

function fitting({ method, path = "*" }: Requests): Condition {
  const pattern = patternOf(path);
  return (of, at) =>
    (method === undefined || method === of || (method === "write" && isWrite(of))) && pattern.test(at);
}

function patternOf(path: string): RegExp {
  const literal = path.split("*").map((each) => each.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`, "s");
}

function isNth(nth: number): Condition {
  let count = 0;
  return () => {
    count += 1;
    return count === nth;
  };
}

/** The most endpoints with counts; above it, all counts restart. */
const COUNTS_LIMIT = 100_000;

/**
 * The chance depends only on how many requests had the same method and path, so a run replays exactly even when
 * requests for different zones overtake each other.
 */
function byChance(chance: number, words: readonly number[]): Condition {
  const counts = new Map<string, number>();
  return (method, path) => {
    const endpoint = `${method} ${path}`;
    const count = (counts.get(endpoint) ?? 0) + 1;
    if (counts.size >= COUNTS_LIMIT) counts.clear();
    counts.set(endpoint, count);
    return fraction(...words, endpoint, count) < chance;
  };
}

/** A number in [0, 1), always the same for the same words. */
function fraction(...words: readonly (string | number)[]): number {
  return Number.parseInt(idOf("chance", ...words).slice(0, 12), 16) / 16 ** 12;
}
