import type { Rank, Strength } from "../model/strength.js";
import { placeWords } from "./compare-places.js";
import { listed } from "./listed.js";

/** A strength by itself, in words. */
export function wordsOf(strength: Strength): string {
  switch (strength.as) {
    case "rank":
      return rankWords(strength);
    case "ranks":
      return listed(
        Object.entries(strength.of).flatMap(([name, does]) =>
          does === "off" ? [] : [`${name}: ${wordsOf(does)}`],
        ),
      );
    case "set":
      return listed(strength.of);
    case "scope":
      return strength.of;
    case "layers":
      return "a policy";
    case "opaque":
    case "unknown":
      return strength.is;
    case "places":
      return placeWords(strength);
  }
}

function rankWords({ value, is, called }: Rank): string {
  const text = is ?? String(value);
  return called === undefined ? text : `${called} ${text}`;
}
