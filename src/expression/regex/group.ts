import { type Flags, isPatternEnd, type Pattern, peek, skipVerbose, take, takeIf, wrong } from "./pattern.js";

/** What a parenthesis opens: a group, or other flags for the rest of the one that it stands in. */
export interface Opened {
  readonly as: "group" | "flags";
  readonly flags: Flags;
}

export function readOpening(pattern: Pattern): Opened {
  take(pattern);
  skipVerbose(pattern);
  if (["?=", "?!", "?<=", "?<!"].some((sign) => takeIf(pattern, sign))) {
    wrong("It looks ahead or behind with `(?=`, `(?!`, `(?<=` or `(?<!`, which this engine does not have.");
  }
  if (takeIf(pattern, "?P<") || takeIf(pattern, "?<")) readName(pattern);
  else if (takeIf(pattern, "?")) return readFlags(pattern);
  return { as: "group", flags: pattern.flags };
}

function readName(pattern: Pattern): void {
  const end = pattern.text.indexOf(">", pattern.at);
  if (end === -1) wrong("The name of a group is never closed with `>`.");
  const name = pattern.text.slice(pattern.at, end);
  if (!/^[_\p{Alphabetic}][_.[\]\p{Alphabetic}\p{N}]*$/u.test(name))
    wrong(`\`${name}\` cannot name a group.`);
  if (pattern.names.has(name)) wrong(`Two groups are named \`${name}\`.`);
  pattern.names.add(name);
  pattern.at = end + 1;
}

/** Letters, then `)` for the rest of this group or `:` for a new one. */
function readFlags(pattern: Pattern): Opened {
  let signs = "";
  for (let sign = peek(pattern); sign !== ":" && sign !== ")"; sign = peek(pattern)) {
    if (isPatternEnd(pattern)) unclosedGroup();
    if (!/^[imsUuRx-]$/.test(sign)) {
      wrong(
        `\`(?${sign}\` is nothing that this engine knows: it has groups, named groups and the flags imsUuRx.`,
      );
    }
    if (signs.includes(sign)) wrong(`The flag \`${sign}\` is given twice in one group.`);
    signs += take(pattern);
  }
  if (signs.endsWith("-")) wrong("No flag follows the `-` that turns flags off.");
  const isGroup = take(pattern) === ":";
  if (!isGroup && signs === "") wrong("`(?)` has no flags.");
  return { as: isGroup ? "group" : "flags", flags: switched(pattern.flags, signs) };
}

export function unclosedGroup(): never {
  return wrong("A group is opened with `(` and never closed; write `\\(` for the character.");
}

/** Those before a `-` are turned on and those after it off. `U` swaps what is lazy, which does not matter here. */
function switched(flags: Flags, signs: string): Flags {
  const [on = "", off = ""] = signs.split("-");
  const now = (sign: string, before: boolean) => (before || on.includes(sign)) && !off.includes(sign);
  return {
    isCaseless: now("i", flags.isCaseless),
    isByLine: now("m", flags.isByLine),
    isDotAll: now("s", flags.isDotAll),
    isCrlf: now("R", flags.isCrlf),
    isVerbose: now("x", flags.isVerbose),
    isUnicode: now("u", flags.isUnicode),
  };
}
