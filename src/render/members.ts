import { cutBoth } from "../model/cut.js";
import type { Palette } from "./palette.js";
import { MAX_CHARS, visible } from "./plain.js";

/** Members of a set that come and go, as many as there are: on one line, or on several where that would be too long. */
export function membersLines(head: string, changed: Sides, colors: Palette): readonly string[] {
  const { added, removed } = shownSides(changed);
  const members: readonly Member[] = [
    ...added.map((text) => ({ text: `+ ${text}`, paint: colors.add })),
    ...removed.map((text) => ({ text: `- ${text}`, paint: colors.remove })),
  ];
  const lines = inLines(head.length, members).map((line) =>
    line.map(({ text, paint }) => ` ${paint(text)}`).join(""),
  );
  const indent = " ".repeat(head.length - head.trimStart().length + 1);
  return lines.length === 0 ? [head] : lines.map((line, index) => `${index === 0 ? head : indent}${line}`);
}

type Sides = { readonly [side in "added" | "removed"]: readonly string[] };

interface Member {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** Of long members, what differs from a long one on the other side is shown. */
export function shownSides({ added, removed }: Sides): Sides {
  const sides = [added, removed].map((side) => side.map((member) => visible(member)));
  const [long = [], gone = []] = sides.map((side) => side.filter((member) => member.length > MAX_CHARS));
  const texts = new Map<string, string>();
  for (let index = 0; index < Math.max(long.length, gone.length); index++) {
    const [a, b] = [long[index] ?? "", gone[index] ?? ""];
    const cut = cutBoth(a, b, MAX_CHARS);
    texts.set(a, cut[0]).set(b, cut[1]);
  }
  const [come = [], left = []] = sides.map((side) => side.map((member) => texts.get(member) ?? member));
  return { added: come, removed: left };
}

/** As many on a line as fit. */
function inLines(headChars: number, members: readonly Member[]): readonly (readonly Member[])[] {
  const lines: Member[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const member of members) {
    const isFull = chars + 1 + member.text.length > MAX_CHARS;
    if (isFull) lines.push([]);
    chars = (isFull ? headChars : chars) + 1 + member.text.length;
    lines.at(-1)?.push(member);
  }
  return lines;
}
