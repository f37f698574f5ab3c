import type { Client } from "../api/client.js";
import type { Json } from "../model/json.js";
import type { AskedOfZone, ZonePlan } from "../model/plan.js";
import { hasErrors, type Problem, type Span } from "../model/problem.js";
import type { ZoneOutcome } from "../plan/document.js";

/**
 * What a run asks the service of what its files name, where a plan sends it: each question once a run, of the first zone
 * in the order of the files that has it. A service that does not answer is no failure: what the files' own check said
 * stays.
 */
export class AskedOfRun {
  readonly #client: Pick<Client, "get" | "redact">;
  readonly #answers = new Map<string, Json | null>();
  readonly #settled = new Set<string>();

  constructor(client: Pick<Client, "get" | "redact">) {
    this.#client = client;
  }

  /** The outcome of one zone with what the service says against it. Zones come in the order of the files. */
  async heldAgainst(outcome: ZoneOutcome, isAsking: boolean): Promise<ZoneOutcome> {
    if (!outcome.ok || outcome.plan.asked.length === 0) return outcome;
    const { plan } = outcome;
    const found: Problem[] = [];
    for (const { code, known, question } of plan.asked) {
      this.#settle(code, known());
      if (question === null || !isAsking) continue;
      const said = question.judge(await this.#answerTo(question, plan));
      if (said === null) continue;
      this.#settle(code, question.about());
      found.push(...this.#client.redact(said));
    }
    if (!hasErrors(found)) return outcome;
    const { zone, zoneId, counts, problems } = plan;
    const failure = { zone, zoneId, requests: counts.requests, problems: [...problems, ...found] };
    return { ok: false, failure };
  }

  /** What the files' own check has said, without that which the service knows. */
  without(problems: readonly Problem[]): readonly Problem[] {
    return problems.filter(({ code, at }) => at === null || !this.#settled.has(keyOf(code, at)));
  }

  #settle(code: string, places: readonly Span[]): void {
    for (const at of places) this.#settled.add(keyOf(code, at));
  }

  /** Null: there is none. */
  async #answerTo(
    { below }: NonNullable<AskedOfZone["question"]>,
    { zoneId }: ZonePlan,
  ): Promise<Json | null> {
    const known = this.#answers.get(below);
    if (known !== undefined) return known;
    const answer = await this.#client.get(`/zones/${zoneId}${below}`);
    const value = answer.ok ? answer.value : null;
    this.#answers.set(below, value);
    return value;
  }
}

function keyOf(code: string, { file, pointer }: Span): string {
  return JSON.stringify([code, file, pointer]);
}
