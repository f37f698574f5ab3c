import type { Effect, PlanDocument, PlannedChange } from "../../plan/generated/plan-document.js";
import { capital } from "../capital.js";
import { fold } from "../fold.js";
import { OUTSIDE_WORDS, outsideEffect, WORST_FIRST } from "../outside.js";
import type { PlanView } from "../view.js";
import { changeBlock } from "./change-block.js";
import type { Block } from "./fitted.js";
import { changeRanks } from "./ranks.js";

/** The changes by what they do to protection, the worst first; of drift, by what was done outside the files. */
export function changeBlocks({ changes }: PlanDocument, view: PlanView): readonly Block[] {
  const effectOf = (change: PlannedChange) =>
    view.about === "drift" ? outsideEffect(change) : change.effect;
  return WORST_FIRST.flatMap((effect) => {
    const some = changes.filter((change) => effectOf(change) === effect);
    const words = view.about === "drift" ? OUTSIDE_HEADINGS : HEADINGS;
    const heading = `#### ${words[effect]} (${some.length})`;
    return fold(some).map((folded) => changeBlock(folded, heading, changeRanks(effect), view));
  });
}

const HEADINGS: { readonly [effect in Effect]: string } = {
  weakens: "Weakens protection",
  unknown: "Nobody can tell whether it weakens protection",
  mixed: "Weakens and strengthens protection",
  strengthens: "Strengthens protection",
  neutral: "Does nothing to protection",
};

const OUTSIDE_HEADINGS: { readonly [effect in Effect]: string } = {
  weakens: capital(OUTSIDE_WORDS.weakens),
  unknown: capital(OUTSIDE_WORDS.unknown),
  mixed: capital(OUTSIDE_WORDS.mixed),
  strengthens: capital(OUTSIDE_WORDS.strengthens),
  neutral: `${capital(OUTSIDE_WORDS.neutral)}, protection is the same`,
};
