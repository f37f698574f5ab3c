import { formatIp, ipLength, parseIp } from "../ip.js";
import { habitAt, isInSet, isMidWord, isOperator, misplacedHint, wordAt } from "./hints.js";

/** The network of an incomplete address such as `"192.0.2."`, or an example network. */
export function networkIn(text: string): string {
  const [, begun = ""] = /^[ \r\n]*r?"\^?((?:\d{1,3}\\?\.){1,3})[*.\\]*"/.exec(text) ?? [];
  const octets = begun.split(/\\?\./).slice(0, -1);
  if (octets.length === 0 || octets.some((each) => Number(each) > 255)) return "192.0.2.0/24";
  return `${[...octets, "0", "0", "0"].slice(0, 4).join(".")}/${8 * octets.length}`;
}

export function invalidBytes(text: string, start: number): string {
  const hint = habitAt(text, start) ?? misplacedHint(text, start);
  if (hint !== null) return hint;
  const operator = /[A-Za-z]+$/.exec(text.slice(Math.max(0, start - 20), start));
  if (operator !== null && /[A-Za-z]/.test(text.charAt(start))) {
    return `\`${operator[0]}${wordAt(text, start)}\` is not an operator. Write \`${operator[0]}\` alone.`;
  }
  const word = wordAt(text, start);
  if (isOperator(word)) return "Two operators follow each other. Remove one.";
  return quoteIt(word);
}

export function quoteIt(word: string): string {
  return word === "" ? 'Put strings in double quotes: "…".' : `Put strings in double quotes: "${word}".`;
}

export function invalidEscape(escaped: string): string {
  const rule =
    'Escapes in a quoted string are `\\"`, `\\\\`, `\\xHH` (two hexadecimal digits) and `\\OOO` (three octal digits, at most 377).';
  const escapes: Readonly<Record<string, string>> = { n: "\\x0A", r: "\\x0D", t: "\\x09" };
  const instead = escapes[escaped];
  return instead === undefined
    ? `Write the backslash twice, or use a raw string: r"…". ${rule}`
    : `Write \`${instead}\` for \`\\${escaped}\`. ${rule}`;
}

export const A_NUMBER = "A number";

/** Numbers of autonomous systems, as other tools write them. */
function systemNumber(text: string): string | null {
  const [, number] = /^"?AS[ ]?([0-9]{1,10})\b/i.exec(text) ?? [];
  return number === undefined ? null : `Write the number without AS and without quotes: ${number}.`;
}

export function expectedLiteral(noun: string, example: string, text: string, start: number): string {
  const after = text.slice(start).trim();
  if (after === "") {
    return isInSet(text, start)
      ? "The expression ends inside a set. Add the missing `}`."
      : `The expression ends too early. Add ${noun.replace(/^A/, "a")}, such as ${example}.`;
  }
  const alone = noun === A_NUMBER ? systemNumber(after) : null;
  if (alone !== null) return alone;
  const [, quoted] = /^"([0-9a-fA-F.:/]+)"/.exec(after) ?? [];
  if (after.startsWith('"')) return `${noun} has no quotes. Write ${quoted ?? example}.`;
  if (after.startsWith("$")) return "A list needs `in`. Write `ip.src in $office_network`.";
  return (
    habitAt(text, start) ??
    misplacedHint(text, start) ??
    `\`${wordAt(text, start)}\` does not fit here. Write ${noun.replace(/^A/, "a")}, such as ${example}.`
  );
}

export function invalidInteger(digits: string, radix: 8 | 10 | 16, text: string, start: number): string {
  const word = wordAt(text, start);
  const other = systemNumber(word) ?? habitAt(text, start);
  if (other !== null) return other;
  const shown = (word.startsWith(digits) && isMidWord(text, start + digits.length) ? word : digits).slice(
    0,
    40,
  );
  if (radix === 8) return `${shown} begins with 0, so it is read as octal. Remove the leading zero.`;
  return `${shown} is not a whole number. Correct it; hexadecimal numbers begin with 0x.`;
}

export function invalidAddress(address: string, text: string, start: number): string {
  const shown = (isMidWord(text, start + address.length) ? wordAt(text, start) : address).slice(0, 60);
  const habit = habitAt(text, start);
  if (habit !== null) return habit;
  if (address.includes("/")) return `A network needs a set. Write \`in {${shown}}\`.`;
  if (isInSet(text, start) && /^[a-f]+$/i.test(address)) {
    return `\`${wordAt(text, start)}\` is not an IP address. Add the missing \`}\` before it.`;
  }
  return `"${shown}" is not an IP address. Write it in full, such as 192.0.2.1 or 2001:db8::1.`;
}

export function hostBits(network: string): string {
  const [address = "", bits = ""] = network.split("/");
  const ip = parseIp(address);
  const rule = `${network} has bits set after its first ${bits}.`;
  if (ip === null) return `${rule} Write the first address of the network.`;
  const hostLength = BigInt(ipLength(ip.version) - Number(bits));
  const first = formatIp({ ...ip, bits: (ip.bits >> hostLength) << hostLength });
  return `${rule} Write the network as ${first}/${bits}, or the one address without \`/\`.`;
}
