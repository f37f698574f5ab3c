import { groupBy } from "../../model/group-by.js";
import type { PlanDocument } from "../../plan/generated/plan-document.js";
import { count } from "../plain.js";
import { details } from "./details.js";
import { code, codeInHtml } from "./escape.js";
import type { Block } from "./fitted.js";
import { RANKS } from "./ranks.js";

/** Undeclared live objects by zone, so that leaving them alone is a choice that somebody sees. */
export function unmanagedBlocks({ unmanaged }: PlanDocument): readonly Block[] {
  return [...groupBy(unmanaged, ({ zone }) => zone)].map(([zone, objects]) => {
    const items = objects.map(
      ({ kind, key, id }) =>
        `- ${code(kind, NAME_CHARS)} ${key === "" ? code(id ?? "?", NAME_CHARS) : code(key)}`,
    );
    const number = count(objects.length, "object");
    return {
      heading: "#### Not managed, left as it is",
      forms: [
        { text: `${number} in ${code(zone, NAME_CHARS)}`, rank: RANKS.unmanaged },
        {
          text: details(`${number} in ${codeInHtml(zone, NAME_CHARS)}`, items.join("\n")),
          rank: RANKS.unmanagedInFull,
        },
      ],
      of: { noun: "object", n: objects.length },
    };
  });
}

const NAME_CHARS = 120;
