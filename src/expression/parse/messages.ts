import { formatIp, ipLength, parseIp } from "../ip.js";
import { functions, parameterAt } from "../tables/functions.js";
import { describeType, type Type } from "../tables/types.js";
import {
  isInSet,
  isOperator,
  leftOver,
  misplaced,
  missingOperator,
  missingValue,
  unknownName,
  wordAt,
} from "./hints.js";
import type { Refused } from "./refusal.js";

/** What is wrong and what to do, for people: the engine's own words are those of a lexer. */
export function messageOf(why: Refused, text: string, start: number): string {
  switch (why.code) {
    case "expected_name":
      return expectedName(text, start);
    case "unknown_name":
      return unknownName(why.name, text, start);
    case "expected":
      return expected(why.sign, text, start);
    case "expected_operator":
      return missingOperator(describeType(why.type), text, start);
    case "unsupported_operator":
      return unsupportedOperator(why.operator, why.type);
    case "left_over":
      return leftOver(text, start);
    case "expected_value":
      return missingValue(why.type, text, start);
    case "expected_string":
      return `${misplaced(text, start) ?? ""} \`${why.operator}\` takes a string in double quotes, or raw as r"…".`.trim();
    case "invalid_bytes":
      return invalidBytes(text, start);
    case "invalid_escape":
      return invalidEscape(why.escape);
    case "unclosed_string":
      return 'The string that begins here never ends: a closing `"` is missing.';
    case "unclosed_raw_prefix":
      return `After \`r\` a raw string needs a quote, as in r"…". ${quoteIt(wordAt(text, start - 1))}`;
    case "too_many_hashes":
      return "A raw string may have at most 255 `#`.";
    case "expected_digit":
      return expectedLiteral("A number", "80", text, start);
    case "invalid_integer":
      return invalidInteger(why.digits, why.radix);
    case "integer_out_of_range":
      return `The number ${why.digits.slice(0, 40)} does not fit into 64 bits.`;
    case "reversed_range":
      return "The ends of a range have to be of one kind, and the lower one comes first.";
    case "expected_address":
      return expectedLiteral("An IP address", "192.0.2.1", text, start);
    case "invalid_address":
      return invalidAddress(why.address, text, start);
    case "invalid_prefix":
      return `After the \`/\` of a network stands how many bits of it are fixed, such as 24; "${why.prefix}" is no such number.`;
    case "prefix_too_long":
      return `A network of this kind of address has at most ${why.most} fixed bits.`;
    case "host_bits":
      return hostBits(why.network);
    case "invalid_list_name":
      return "The name of a list has lower-case letters, digits and `_`, as in `$office_network`.";
    case "invalid_regex":
      return `This regular expression is not valid. ${why.detail}`;
    case "invalid_wildcard":
      return `This wildcard pattern is not valid. ${why.detail}`;
    case "invalid_index":
      return 'Inside `[…]` stands a key in double quotes, a number, or `*`: `["accept"]`, `[0]`, `[*]`.';
    case "index_too_large":
      return "An index counts from 0 and is at most 4294967295; it cannot count from the end.";
    case "index_not_utf8":
      return "A key has to be valid UTF-8.";
    case "unsupported_index":
      return unsupportedIndex(why.type);
    case "expected_list":
      return expectedList(why.quantifier, why.type);
    case "mixed_operands":
      return mixedOperands(why.left, why.right);
    case "not_boolean":
      return "With `[*]` the comparison gives an answer for each element. Put it into `any(…)` or `all(…)` to have one.";
    case "argument_count":
      return argumentCount(why.name);
    case "argument_kind":
      return argumentKind(why.name, why.index);
    case "argument_type":
      return argumentType(why.name, why.index, why.type, why.first);
    case "argument_value":
      return argumentValue(why.name, why.index);
    case "argument_each":
      return `Only the first argument of \`${why.name}\` may have \`[*]\`.`;
    case "too_deep":
      return "The expression nests more than 128 levels deep. Leave out parentheses that are not needed.";
  }
}

function expectedName(text: string, start: number): string {
  if (start === text.trimEnd().length) {
    return text.trim() === ""
      ? "The expression is empty. Write a condition, or `true` for all requests."
      : "The expression ends where another condition should follow.";
  }
  const hint = misplaced(text, start);
  if (hint !== null) return hint;
  const sign = text.charAt(start);
  if (sign === ")") return "These parentheses are empty, or a condition is missing before the `)`.";
  if (sign === '"')
    return 'A comparison begins with a field, not with a value: `http.host eq "example.com"`.';
  if (sign === "{") return "A set stands only after `in`, and a field before that: `ip.src in {192.0.2.1}`.";
  return `A field or a function should stand here, not \`${wordAt(text, start)}\`.`;
}

function expected(sign: string, text: string, start: number): string {
  switch (sign) {
    case "(":
      return "A function needs its arguments in parentheses after its name.";
    case ")":
      return missingParenthesis(text, start);
    case "{":
      return missingBrace(text, start);
    case ",":
      return `${misplaced(text, start) ?? ""} Arguments of a function are separated by commas.`.trim();
    default:
      return 'A `]` is missing after the index: `["accept"]`, `[0]`, `[*]`.';
  }
}

function missingParenthesis(text: string, start: number): string {
  const isEnd = text.slice(start).trim() === "";
  if (isEnd) return "The expression ends, but a `(` is still open: a `)` is missing.";
  const hint = `${leftOver(text, start)} Otherwise a \`)\` is missing before it.`;
  const isCombined = /^[ \r\n]*(?:and|or|xor|&&|\|\||\^\^)/.test(text.slice(start, start + 100));
  return isCombined
    ? "Inside `any(…)` and `all(…)` stands one comparison. Put several into parentheses of their own: `any((… and …))`."
    : hint;
}

function missingBrace(text: string, start: number): string {
  const sign = text.charAt(start);
  if (sign === "(" || sign === "[")
    return `A set is written in braces, not with \`${sign}\`: \`in {"a" "b"}\`.`;
  return "`in` needs a set in braces or the name of a list: `in {192.0.2.0/24}`, `in $office_network`.";
}

function unsupportedOperator(operator: string, type: Type): string {
  if (operator === "")
    return "A list of lists of Booleans cannot be used here; give an index instead of `[*]`.";
  const has = `has the type ${describeType(type)}`;
  if (type.is === "Array")
    return `\`${operator}\` cannot compare a list: this ${has}. Use \`[*]\` inside \`any(…)\`, or an index such as \`[0]\`.`;
  if (type.is === "Map")
    return `\`${operator}\` cannot compare a map: this ${has}. Give a key, such as \`["accept"]\`.`;
  return `\`${operator}\` cannot be used here: what stands before it ${has}.`;
}

function invalidBytes(text: string, start: number): string {
  const hint = misplaced(text, start);
  if (hint !== null) return hint;
  const operator = /[A-Za-z]+$/.exec(text.slice(Math.max(0, start - 20), start));
  if (operator !== null && /[A-Za-z]/.test(text.charAt(start))) {
    return `\`${operator[0]}${wordAt(text, start)}\` is no operator: the engine reads \`${operator[0]}\` and then a value. Write \`${operator[0]}\` alone.`;
  }
  const word = wordAt(text, start);
  if (isOperator(word)) return "Two operators follow each other. Leave one out.";
  return quoteIt(word);
}

function quoteIt(word: string): string {
  return word === "" ? 'Put strings into double quotes: "…".' : `Put strings into double quotes: "${word}".`;
}

function invalidEscape(escaped: string): string {
  const known =
    'A quoted string knows only the escapes `\\"`, `\\\\`, `\\xHH` (two hexadecimal digits) and `\\OOO` (three octal digits, at most 377).';
  const meant: Readonly<Record<string, string>> = { n: "\\x0A", r: "\\x0D", t: "\\x09" };
  const instead = meant[escaped];
  return instead === undefined
    ? `${known} Write a backslash twice to mean itself, or use a raw string: r"…".`
    : `${known} Write \`${instead}\` for \`\\${escaped}\`.`;
}

function expectedLiteral(what: string, example: string, text: string, start: number): string {
  const rest = text.slice(start).trim();
  if (rest === "") {
    return isInSet(text, start)
      ? "The expression ends inside a set: a `}` is missing."
      : `${what} is missing at the end, such as ${example}.`;
  }
  if (rest.startsWith('"')) return `${what} is written without quotes, such as ${example}.`;
  if (rest.startsWith("$")) return "A list is used with `in`: `ip.src in $office_network`.";
  return (
    misplaced(text, start) ?? `${what} should stand here, such as ${example}, not \`${wordAt(text, start)}\`.`
  );
}

function invalidInteger(digits: string, radix: 8 | 10 | 16): string {
  const shown = digits.slice(0, 40);
  if (radix === 8)
    return `${shown} begins with 0 and is read as octal, which has no such digits. Leave out the leading zero.`;
  return `${shown} is no whole number. Hexadecimal ones begin with 0x.`;
}

function invalidAddress(address: string, text: string, start: number): string {
  const shown = address.slice(0, 60);
  if (address.includes("/")) return `A network such as ${shown} stands only in a set: \`in {${shown}}\`.`;
  if (isInSet(text, start) && /^[a-f]+$/i.test(address)) {
    return `\`${wordAt(text, start)}\` is no IP address. Is a \`}\` missing before it?`;
  }
  return `"${shown}" is no IP address. Write it in full, such as 192.0.2.1 or 2001:db8::1.`;
}

function hostBits(network: string): string {
  const [address = "", bits = ""] = network.split("/");
  const ip = parseIp(address);
  const rule = `${network} has bits set behind its first ${bits}.`;
  if (ip === null) return `${rule} Write the first address of the network.`;
  const rest = BigInt(ipLength(ip.version) - Number(bits));
  const first = formatIp({ ...ip, bits: (ip.bits >> rest) << rest });
  return `${rule} Write the network as ${first}/${bits}, or the one address without \`/\`.`;
}

function unsupportedIndex(type: Type): string {
  switch (type.is) {
    case "Array":
      return "This is a list: it takes a number or `*` as its index, as in `[0]` or `[*]`.";
    case "Map":
      return 'This is a map: it takes a key in double quotes or `*` as its index, as in `["accept"]`.';
    default:
      return `This has the type ${describeType(type)} and takes no index.`;
  }
}

function expectedList(quantifier: string, type: Type): string {
  const needs = `\`${quantifier}\` needs an answer for each element of a list`;
  if (type.is === "Bool")
    return `${needs}, and this gives only one. Use \`[*]\` on a list, or leave out \`${quantifier}(…)\`.`;
  return `${needs}: compare the elements, as in \`${quantifier}(http.request.headers.names[*] eq "accept")\`.`;
}

function mixedOperands(left: Type, right: Type): string {
  return (
    `The left side has the type ${describeType(left)} and the right side ${describeType(right)}; ` +
    "`and`, `or` and `xor` need the same on both. Put what has `[*]` into `any(…)` or `all(…)`."
  );
}

function argumentCount(name: string): string {
  const signature = functions.get(name);
  if (signature === undefined) return `\`${name}\` has another number of arguments.`;
  const { least, most, parameters } = signature;
  const names = parameters.map((parameter) => parameter.name).join(", ");
  const count = most === null ? `at least ${least}` : most === least ? `${least}` : `${least} to ${most}`;
  return `\`${name}\` takes ${count} argument${count === "1" ? "" : "s"}: ${names}.`;
}

function argumentKind(name: string, index: number): string {
  const { parameter, what } = argumentOf(name, index);
  return parameter?.kind === "literal"
    ? `${what} has to be written out: no field and no call may stand there.`
    : `${what} has to be a field or a call: nothing written out may stand there.`;
}

function argumentType(name: string, index: number, type: Type, first: Type | null): string {
  const { parameter, what } = argumentOf(name, index);
  const types = parameter?.types.map((each) => (each === "Array" ? "Array" : describeType(each))) ?? [];
  const wanted = first === null ? types.join(" or ") : `${describeType(first)}, as the first one has`;
  return `${what} has to have the type ${wanted}, but this has the type ${describeType(type)}.`;
}

function argumentValue(name: string, index: number): string {
  const { parameter, what } = argumentOf(name, index);
  const [least, most] = parameter?.range ?? [];
  return `${what} has to be from ${least} to ${most}.`;
}

function argumentOf(name: string, index: number) {
  const signature = functions.get(name);
  const parameter = signature === undefined ? undefined : parameterAt(signature, index);
  return {
    parameter,
    what: `Argument ${index + 1} of \`${name}\`${parameter === undefined ? "" : ` (${parameter.name})`}`,
  };
}
