import type { Client } from "../api/client.js";
import { groupBy } from "../model/group-by.js";
import type { Json } from "../model/json.js";
import type { ZoneQuestion } from "../model/plan.js";
import { hasErrors, type Problem, type Span } from "../model/problem.js";

export interface AskedAbout {
  readonly zone: string;
  readonly zoneId: string;
  readonly asked: readonly ZoneQuestion[];
}

/**
 * Questions of a run to the service about declared values that a plan sends. Each question is sent once, for the first zone that
 * has it. Without an answer, the results of the offline checks stay.
 */
export class AskedOfRun {
  readonly #client: Pick<Client, "get" | "redact">;
  readonly #answers = new Map<string, Json | null>();
  readonly #settled = new Set<string>();
  readonly #refused = new Map<string, ReadonlyMap<string, readonly Problem[]>>();

  constructor(client: Pick<Client, "get" | "redact">) {
    this.#client = client;
  }

  /** Whether the service would refuse a zone's plan. The reasons are in `refused`. Zones come in the order of the files. */
  async isRefused({ zone, zoneId, asked }: AskedAbout): Promise<boolean> {
    const found: { readonly section: string; readonly problem: Problem }[] = [];
    for (const { section, code, known, question } of asked) {
      this.#settle(code, known());
      if (question === null) continue;
      const judged = question.judge(await this.#answerTo(question, zoneId));
      if (judged === null) continue;
      this.#settle(code, question.about());
      found.push(...this.#client.redact(judged).map((problem) => ({ section, problem })));
    }
    if (!hasErrors(found.map(({ problem }) => problem))) return false;
    const sections = groupBy(found, ({ section }) => section);
    const problemsOf = (of: readonly (typeof found)[number][]) => of.map(({ problem }) => problem);
    this.#refused.set(zone, new Map([...sections].map(([section, of]) => [section, problemsOf(of)])));
    return true;
  }

  /** The sections of a zone that the service would refuse, with the reasons. */
  refused(zone: string): ReadonlyMap<string, readonly Problem[]> {
    return this.#refused.get(zone) ?? NONE;
  }

  /** Removes results of the offline checks where the service has answered. */
  without(problems: readonly Problem[]): readonly Problem[] {
    return problems.filter(({ code, at }) => at === null || !this.#settled.has(keyOf(code, at)));
  }

  #settle(code: string, places: readonly Span[]): void {
    for (const at of places) this.#settled.add(keyOf(code, at));
  }

  /** Null: the service gave no answer. */
  async #answerTo({ below }: NonNullable<ZoneQuestion["question"]>, zoneId: string): Promise<Json | null> {
    const known = this.#answers.get(below);
    if (known !== undefined) return known;
    const answer = await this.#client.get(`/zones/${zoneId}${below}`);
    const value = answer.ok ? answer.value : null;
    this.#answers.set(below, value);
    return value;
  }
}

const NONE: ReadonlyMap<string, readonly Problem[]> = new Map();

function keyOf(code: string, { file, pointer }: Span): string {
  return JSON.stringify([code, file, pointer]);
}
