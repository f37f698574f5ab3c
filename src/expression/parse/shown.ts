import type { Place } from "../tree.js";
import type { Refused } from "./refusal.js";
import { isMidWord, placeAround } from "./word.js";

/** What to point at for people, where that is not what the engine points at. */
export function shownPlace(why: Refused, text: string, place: Place): Place {
  switch (why.code) {
    case "invalid_bytes":
      return placeAround(text, why.from);
    case "unclosed_string":
      return { start: place.start - 1, end: place.end };
    case "unclosed_class":
      return { start: why.bracket, end: why.bracket + 1 };
    case "invalid_integer":
    case "invalid_address":
      return placeAround(text, place.start);
    case "expected":
    case "left_over":
      return isMidWord(text, place.start) ? placeAround(text, place.start) : place;
    default:
      return isMidWord(text, place.end)
        ? { start: place.start, end: placeAround(text, place.end).end }
        : place;
  }
}
