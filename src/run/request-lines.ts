import { eachRecord, type Unread } from "../disk/lines.js";
import { logFiles, type StandardInput } from "../disk/log-files.js";
import { zoneOf } from "../evidence/hosts.js";
import { ZoneLines } from "../evidence/lines-by-change.js";
import { isRequestLine, zoneOrHostIn } from "../evidence/request-line.js";
import { TimeSpan, timeIn } from "../evidence/time.js";
import { kindNamed } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import type { Item } from "../model/item.js";
import { asText, equal, type JsonObject } from "../model/json.js";
import type { ZonePlan } from "../model/plan.js";
import { ok, type Problem, problem, type Result } from "../model/problem.js";
import { rememberedText } from "../model/remembered.js";
import type { LinesRead, RequestAct, RequestLimit, RequestMove } from "../model/request-lines.js";
import type { RequestLines } from "../plan/document.js";
import { linesText } from "../render/request-lines.js";
import { daysText } from "../render/safe-text.js";
import { cutOff } from "./reported-loads.js";

/** The logged requests that a run's changes affect, with notes and warnings on the logs. */
export interface CountedLines {
  readonly counts: RequestLines;
  readonly warnings: readonly Problem[];
}

export type CountLines = (plans: readonly ZonePlan[]) => Promise<CountedLines>;

/**
 * Finds logs of the dataset http_requests. They are read after planning.
 *
 * @param named files, folders, globs, or `-`
 * @param input the content of `-`. Null: `-` cannot be read
 */
export async function findLines(
  named: readonly string[],
  zones: readonly string[],
  cwd: string,
  input: StandardInput | null,
): Promise<Result<CountLines>> {
  const files = await logFiles(named, cwd, input);
  if (!files.ok) return files;
  return ok(async (plans) => {
    const lines = new RunLines(plans, zones);
    const unread = await eachRecord(files.value, (record) => lines.add(record));
    const counts = lines.counts(unread);
    return { counts, warnings: [...cutOff(unread), summed(counts.read)] };
  });
}

/** Counts the logged requests that the changes of a run affect. No line is kept in memory. */
class RunLines {
  #lines = 0;
  readonly #seen = new TimeSpan();
  #otherZones = 0;
  #otherDatasets = 0;
  readonly #zones: ReadonlyMap<string, ZoneLines>;
  readonly #zoneOf: (host: string) => string | null;

  /** @param names of all zones of the files. A host belongs to the longest of these names that it ends with */
  constructor(plans: readonly ZonePlan[], names: readonly string[]) {
    const [room, times] = [{ left: MOST_PATHS }, { left: MOST_TIMES }];
    this.#zones = new Map(plans.map((plan) => [plan.zone, new ZoneLines(movesIn(plan), room, times)]));
    const all = new Set(names);
    this.#zoneOf = rememberedText((host) => zoneOf(host, all));
  }

  add(line: JsonObject): void {
    if (!isRequestLine(line)) {
      this.#otherDatasets += 1;
      return;
    }
    const zone = this.#zones.get(this.#nameOf(line) ?? "");
    if (zone === undefined) {
      this.#otherZones += 1;
      return;
    }
    this.#lines += 1;
    this.#seen.add(timeIn(line.EdgeStartTimestamp));
    zone.add(line);
  }

  #nameOf(line: JsonObject): string | null {
    const named = zoneOrHostIn(line);
    return named?.is === "host" ? this.#zoneOf(named.name) : (named?.name ?? null);
  }

  /** @param unread the numbers of lines that were no records */
  counts({ broken, tooLong }: Pick<Unread, "broken" | "tooLong">): RequestLines {
    return {
      read: {
        lines: this.#lines,
        ...this.#seen.asText(),
        other_zones: this.#otherZones,
        other_datasets: this.#otherDatasets,
        broken: broken + tooLong,
      },
      moved: new Map([...this.#zones].map(([name, zone]) => [name, zone.counts])),
    };
  }
}

/** The most beginnings of paths to count, over all changes of a run. */
const MOST_PATHS = 50_000;

/** The most requests to count towards rate limits, over all changes of a run. */
const MOST_TIMES = 1_000_000;

/** The changes that affect other requests than before, or affect them in another way. */
function movesIn({ changes }: ZonePlan): readonly RequestMove[] {
  return changes.flatMap(({ index: change, ref, before, after }) => {
    const requests = kindNamed(ref.kind)?.touches?.requests;
    if (requests === undefined) return [];
    const [was, is] = [sideIn(before, requests), sideIn(after, requests)];
    if (equal(was, is)) return [];
    const becomes = was.act === null || was.act === is.act ? null : is.act;
    const limits =
      was.limit === null && is.limit === null
        ? {}
        : { limits: { ...(was.limit && { before: was.limit }), ...(is.limit && { after: is.limit }) } };
    return [{ change, does: requests.does, before: was.where, after: is.where, becomes, ...limits }];
  });
}

interface Side {
  /** The expression of the requests that the object matches. Null: there is no object, or it is switched off. */
  readonly where: string | null;
  readonly act: RequestAct | null;
  readonly limit: RequestLimit | null;
  /** Other actions than those of `act` cannot be compared, but their changes count. */
  readonly action: Item["normal"][string];
}

function sideIn(item: Item | null, { acts = () => null }: RequestTouch): Side {
  if (item === null || item.normal.enabled === false)
    return { where: null, act: null, limit: null, action: null };
  const { expression = "", action = null } = item.normal;
  const act = acts(item.normal);
  const isLimit = typeof act === "object" && act !== null;
  return {
    where: asText(expression),
    act: isLimit ? null : act,
    limit: isLimit ? act : null,
    action,
  };
}

type RequestTouch = NonNullable<NonNullable<Kind["touches"]>["requests"]>;

function summed(read: LinesRead): Problem {
  const { lines } = read;
  const ignored = APART.flatMap(([name, words]) => {
    const n = read[name];
    return n === 0 ? [] : [`${linesText(n)} ${words}`];
  });
  const days = daysText(read);
  const found =
    lines === 0
      ? "The logs have no request in the zones of this plan."
      : `${linesText(lines)} of requests in zones of this plan${days === "" ? "" : `, ${days}`}.`;
  const others = ignored.length === 0 ? "" : ` Ignored: ${ignored.join(", ")}.`;
  const detail = `${found}${others} These are counts of lines. A job with a sample rate writes fewer lines than there were requests.`;
  return {
    ...problem("request_lines", "Requests in the logs", detail),
    severity: lines === 0 ? "warning" : "note",
  };
}

const APART = [
  ["other_zones", "of other zones or without a zone"],
  ["other_datasets", "of other datasets"],
  ["broken", "not JSON or too long"],
] as const;
