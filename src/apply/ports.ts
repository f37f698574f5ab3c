import type { BeforeSending, WriteResult } from "../api/client.js";
import type { Item } from "../model/item.js";
import type { JournalLine } from "../model/journal.js";
import type { Json, JsonObject } from "../model/json.js";
import type { Step, ZonePlan } from "../model/plan.js";
import type { Problem, Result } from "../model/problem.js";

/** One attempt to send a call, with the check right before it. */
export interface CallToSend extends BeforeSending {
  readonly step: Step;
  readonly path: string;
  readonly body: Json | null;
}

/** What applying needs from outside: the service, the journal, the clock. */
export interface ApplyPorts {
  send(call: CallToSend): Promise<WriteResult>;
  read(path: string): Promise<Result<Json>>;
  /** All pages of the list. */
  list(path: string): Promise<Result<readonly Json[]>>;
  /** The fields in which a live object differs in meaning from the item. Secrets do not count. */
  fieldsDiffering(raw: JsonObject, item: Item): readonly string[];
  /** Whether the files say that the zone's Cloudflare plan may not include a kind, by its name. */
  isOptional(kind: string): boolean;
  /** The zone's plan from reads made now. */
  replan(): Promise<Result<ZonePlan>>;
  pause(ms: number): Promise<void>;
  /** Writes the line durably. On a problem, nothing more may be sent. */
  note(line: JournalLine): Problem | null;
  /** Whether the run was interrupted: the calls in flight end, no other starts. */
  stopping(): boolean;
}

/** Writes may take a while to show. */
const PAUSES_MS = [1000, 2000, 4000];

/** Reads, and reads again after a pause while the state is not the expected one, a few times at most. Stops when interrupted. */
export async function lookAgain<T>(
  look: () => Promise<T>,
  isAsHoped: (seen: T) => boolean,
  ports: Pick<ApplyPorts, "pause" | "stopping">,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<T> {
  let seen = await look();
  for (const pauseMs of pausesMs) {
    if (isAsHoped(seen) || ports.stopping()) break;
    await ports.pause(pauseMs);
    if (ports.stopping()) break;
    seen = await look();
  }
  return seen;
}
