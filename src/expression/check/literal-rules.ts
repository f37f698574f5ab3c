import { toUpper } from "../bytes.js";
import { renderBytes } from "../spelling/render.js";
import type { Compared, Needed } from "./compared-literals.js";

/** What is surely not meant about a literal, seen from what it is compared with and how. */
export interface LiteralRule {
  readonly applies: (compared: Compared, needed: Needed) => boolean;
  /** Of a comparison that cannot hold, why, as the beginning of a sentence. */
  readonly never?: string;
  /** Otherwise, what it does, in full sentences. */
  readonly code?: string;
  readonly message?: (compared: Compared) => string;
  /** What to write instead, as sentences. */
  readonly instead?: string;
}

/** The first that applies is said. */
export const literalRules: readonly LiteralRule[] = [
  {
    applies: ({ name }, { text }) => name === "http.host" && /[/\s]/.test(text),
    never: "`http.host` is only the name of a host, without a scheme and a path",
  },
  {
    applies: ({ by, literal, name }) =>
      !isPattern(by) && literal.includes("*") && isStarSurelyMeant(name, by, literal),
    code: "expression_literal_star",
    message: ({ by, name, literal }) =>
      by === "eq" || by === "ne" || by === "in"
        ? `\`${by}\` compares letter by letter, and a \`*\` is only a star to it. Patterns are for \`wildcard\`: \`${name} wildcard ${renderBytes(literal)}\`.`
        : `A \`*\` is only a star to \`${by}\`. Leave it out: ${FOLLOWS[by] ?? ""}`,
  },
  {
    applies: ({ by, literal }) => isWildcard(by) && literal.includes("?") && !/[?&][^=*]*=/.test(literal),
    code: "expression_literal_question_mark",
    message: () => "In a wildcard pattern `?` is only a question mark; `*` alone stands for something else.",
  },
  {
    applies: ({ name }, needed) => isPath(name) && isBeginning(needed) && !needed.text.startsWith("/"),
    never: "A path always begins with `/`, and this text does not",
  },
  {
    applies: ({ name }, needed) =>
      /^(?:raw\.)?http\.request\.uri$/.test(name) && isBeginning(needed) && !needed.text.startsWith("/"),
    never: "This field has the path and the query alone, so it begins with `/`, and this text does not",
    instead: "A URL with its scheme and host is in `http.request.full_uri`.",
  },
  {
    applies: ({ name, by, through }, needed) =>
      /^(?:raw\.)?http\.request\.full_uri$/.test(name) &&
      isBeginning(needed) &&
      !SCHEMES.some((scheme) =>
        canBegin(
          by === "wildcard" || through === "upper" ? needed.text.toLowerCase() : needed.text,
          needed,
          scheme,
        ),
      ),
    never: "A full URI begins with `http://` or `https://`, and this text does not",
  },
  {
    applies: ({ name }, { text }) => isPath(name) && text.includes("?"),
    never: "A path never has a `?`",
    instead: "What follows it is in `http.request.uri.query`.",
  },
  {
    applies: ({ name }, { how, text }) =>
      /^(?:raw\.)?http\.request\.uri\.query$/.test(name) &&
      how !== "within" &&
      how !== "ends" &&
      text.startsWith("?"),
    code: "expression_query_with_mark",
    message: () => "The query comes without the `?` that is before it in the URL. Leave the `?` out.",
  },
  {
    applies: ({ name }, { text }) => name.endsWith("http.request.uri.path.extension") && text.includes("."),
    never: "The extension comes without its dot",
  },
  {
    applies: ({ name, through, by }, { how, text }) =>
      isCountry(name) && through === null && by !== "wildcard" && how === "equals" && /^[a-z]{2}$/.test(text),
    never: "Codes of countries are in upper case",
  },
  {
    applies: ({ name }, { how, text }) => isCountry(name) && how === "equals" && toUpper(text) === "UK",
    never: "The code of the United Kingdom is `GB`",
  },
  {
    applies: ({ name }, { how, text }) => isCountry(name) && how === "equals" && text.length > 2,
    never: "Codes of countries have two letters",
  },
  {
    applies: ({ name, through, by }, { how, text }) =>
      name === "http.request.method" &&
      through === null &&
      by !== "wildcard" &&
      how === "equals" &&
      METHODS.test(text) &&
      text !== toUpper(text),
    code: "expression_method_case",
    message: ({ literal }) =>
      `Methods are in upper case, and this compares the letters as they are. Write ${renderBytes(toUpper(literal))}.`,
  },
  {
    applies: ({ through, by }, { text }) => through === "lower" && by !== "wildcard" && /[A-Z]/.test(text),
    never: "`lower` gives no upper-case letters",
    instead: "Write the text in lower case.",
  },
  {
    applies: ({ through, by }, { text }) => through === "upper" && by !== "wildcard" && /[a-z]/.test(text),
    never: "`upper` gives no lower-case letters",
    instead: "Write the text in upper case.",
  },
];

const FOLLOWS: { readonly [by in Compared["by"]]?: string } = {
  starts_with: "whatever follows the text is allowed already.",
  ends_with: "whatever is before the text is allowed already.",
  contains: "whatever is around the text is allowed already.",
};

const SCHEMES = ["http://", "https://"];

/** Browsers write these in upper case whatever the page says; not so `patch`. */
const METHODS = /^(?:delete|get|head|options|post|put)$/i;

function isPath(name: string): boolean {
  return name === "http.request.uri.path" || name === "raw.http.request.uri.path";
}

function isCountry(name: string): boolean {
  return name === "ip.src.country" || name === "ip.geoip.country";
}

function isWildcard(by: Compared["by"]): boolean {
  return by === "wildcard" || by === "strict wildcard";
}

function isPattern(by: Compared["by"]): boolean {
  return isWildcard(by) || by === "matches";
}

/** Whether it says how the value begins. */
function isBeginning({ how, text }: Needed): boolean {
  return how === "equals" || (how === "begins" && text !== "");
}

function canBegin(text: string, { how }: Needed, scheme: string): boolean {
  return text.startsWith(scheme) || (how === "begins" && scheme.startsWith(text));
}

/** Stars are not in names of hosts, methods and codes, but may be in URLs and headers, and in what attackers send. */
function isStarSurelyMeant(name: string, by: Compared["by"], literal: string): boolean {
  if (/^(?:http\.host|http\.request\.method|ip\.(?:src|geoip)\.country)$/.test(name)) return true;
  if (!/^(?:raw\.)?http\.(?:request\.(?:uri|full_uri|uri\.path)|user_agent|referer)$/.test(name))
    return false;
  if (by === "contains") return /^\*[^*/]*\w[^*/]*\*$|^\/[^*]*\w[^*]*\/\*$/.test(literal);
  return /\w/.test(literal) || literal === "/*" || literal === "*";
}
