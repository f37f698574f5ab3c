import type { Kind, PendingChange } from "../kinds/kind.js";
import type { Path, Triple } from "../model/item.js";
import type { ZoneQuestion } from "../model/plan.js";
import type { Span } from "../model/problem.js";
import { type Declared, entryAt, type WantedZone } from "../model/wanted.js";

/** Questions about the declared objects of a kind that the service can answer better than the offline checks. */
export function questionsOf(
  kind: Kind,
  triples: readonly Triple[],
  pending: readonly PendingChange[],
  declared: readonly Declared[],
  zone: WantedZone,
): readonly ZoneQuestion[] {
  const { section, checks } = kind;
  const asks = checks?.asked;
  if (asks === undefined) return [];
  const moved = new Map(pending.map(({ triple, fields }) => [triple, fields]));
  return triples.flatMap((triple): readonly ZoneQuestion[] => {
    const { want, replaces } = triple;
    const entry = entryAt(declared, want?.at);
    if (entry === undefined || replaces === "made") return [];
    const { code, known, question } = asks(triple, moved.get(triple) ?? [], entry.body);
    const spans = (paths: readonly Path[]) => (): readonly Span[] =>
      paths.flatMap((path) => zone.locate([...entry.path, ...path]) ?? []);
    if (question === null) return [{ section, code, known: spans(known), question }];
    const { below, about, judge } = question;
    const placed: ZoneQuestion["question"] = {
      below,
      about: spans(about),
      judge: (answer) =>
        judge(answer)?.map(({ path, offset: _, ...finding }) => ({
          ...finding,
          at: zone.locate([...entry.path, ...path]),
        })) ?? null,
    };
    return [{ section, code, known: spans(known), question: placed }];
  });
}
