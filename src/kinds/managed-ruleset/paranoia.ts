import type { Json } from "../../model/json.js";
import { isDisabled, isOff, notDisabling, type Overrides, saidOf, saying } from "./overrides.js";

const LEVELS = [1, 2, 3, 4] as const;

/** Each rule has the tag of its level. */
export const tagOf = (level: number): string => `paranoia-level-${level}`;

export function isLevelTag(tag: Json | undefined): boolean {
  return typeof tag === "string" && tag.startsWith("paranoia-level-");
}

/**
 * PLn where the levels above n are off and the others are not; else, after "custom", what each level is, from the
 * first one that is off.
 *
 * @param whole whether the rules run where no tag says otherwise: the override for the whole ruleset
 */
export function readLevel(categories: Overrides, whole: Json | undefined): string {
  if (isOff(whole)) {
    const on = LEVELS.filter((level) => saidOf(categories, "category", tagOf(level)).enabled === true);
    return ["custom: all off", ...on.map((level) => `${level} on`)].join(", ");
  }
  const off = LEVELS.filter((level) => isDisabled(categories, "category", tagOf(level)));
  const [first = LEVELS.length + 1] = off;
  if (first > 1 && off.length === LEVELS.length + 1 - first) return `PL${first - 1}`;
  const states = LEVELS.slice(first - 1).map((level) => `${level} ${off.includes(level) ? "off" : "on"}`);
  return `custom: ${states.join(", ")}`;
}

/** The levels that a level, or a combination that is none, leaves on. */
export function levelsOn(level: string): readonly number[] {
  if (level.startsWith("PL")) return LEVELS.filter((each) => each <= Number(level.slice("PL".length)));
  return level.startsWith("custom: all off")
    ? LEVELS.filter((each) => level.includes(`${each} on`))
    : LEVELS.filter((each) => !level.includes(`${each} off`));
}

/** The overrides of tags with a level set: nothing else in them changes, and what is so already stays as it is. */
export function writeLevel(categories: Overrides, level: string): Overrides {
  const highest = Number(level.slice("PL".length));
  return LEVELS.reduce<Overrides>((list, each) => {
    const tag = tagOf(each);
    if (each <= highest) return notDisabling(list, "category", tag);
    return isDisabled(list, "category", tag) ? list : saying(list, "category", tag, { enabled: false });
  }, categories);
}
