import type { Client } from "../api/client.js";
import type { WantedZone } from "../model/declared-zone.js";
import { groupBy } from "../model/group-by.js";
import type { Path } from "../model/item.js";
import type { Json } from "../model/json.js";
import { hasErrors, type Problem, type Span } from "../model/problem.js";
import type { Question } from "../plan/build.js";

/** A zone's questions. */
export interface AskedAbout {
  readonly zone: Pick<WantedZone, "name" | "locate">;
  readonly zoneId: string;
  readonly questions: readonly Question[];
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
  async isRefused({ zone, zoneId, questions }: AskedAbout): Promise<boolean> {
    const found: { readonly section: string; readonly problem: Problem }[] = [];
    for (const { section, entry, asked } of questions) {
      const { code, known, question } = asked;
      const placeOf = (path: Path) => zone.locate([...entry.path, ...path]);
      this.#settle(code, known.map(placeOf));
      if (question === null) continue;
      const findings = question.judge(await this.#answerTo(question.below, zoneId));
      if (findings === null) continue;
      this.#settle(code, question.about.map(placeOf));
      const judged = findings.map(({ path, offset: _, ...finding }) => ({ ...finding, at: placeOf(path) }));
      found.push(...this.#client.redact(judged).map((problem) => ({ section, problem })));
    }
    if (!hasErrors(found.map(({ problem }) => problem))) return false;
    const sections = groupBy(found, ({ section }) => section);
    const problemsOf = (of: readonly (typeof found)[number][]) => of.map(({ problem }) => problem);
    this.#refused.set(zone.name, new Map([...sections].map(([section, of]) => [section, problemsOf(of)])));
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

  #settle(code: string, places: readonly (Span | null)[]): void {
    for (const at of places) if (at !== null) this.#settled.add(keyOf(code, at));
  }

  /** Null: the service gave no answer. */
  async #answerTo(below: string, zoneId: string): Promise<Json | null> {
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
