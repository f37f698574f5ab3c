import type { YAMLError } from "yaml";

/**
 * What a syntax error means and what to do about it. The parser's own words stand where they are clear enough and have
 * nothing of the file in them, which may be a secret.
 */
export function adviceOn({ code, message }: YAMLError): string {
  switch (code) {
    case "TAB_AS_INDENT":
      return "A tab stands where only spaces may. Indent with spaces.";
    case "TAG_RESOLVE_FAILED":
    case "BAD_COLLECTION_TYPE":
      return "This tag is not used here. Remove it.";
    case "BAD_DIRECTIVE":
      return `${message}. Remove the line: no file here needs one that begins with %.`;
    case "BAD_SCALAR_START":
      return `${message.replace("Plain value", "A text without quotes")}. Put the whole text in quotes.`;
    case "BAD_ALIAS":
      return "An anchor (&) or an alias (*) without a name stands here. If it is a text, put it in quotes.";
    case "BAD_DQ_ESCAPE":
      return "YAML has no such escape. In double quotes a backslash is written \\\\; in single quotes it is just itself.";
    case "BAD_INDENT":
      return indentAdvice(message);
    case "BLOCK_AS_IMPLICIT_KEY":
      return 'Is this one text? Then put it in quotes: a ":" before a blank or the line\'s end makes a map, and a map begins on a line of its own.';
    case "MULTILINE_IMPLICIT_KEY":
      return NO_KEY;
    case "KEY_OVER_1024_CHARS":
      return "This key has more than 1024 characters. Shorten it.";
    case "BLOCK_IN_FLOW":
      return "This does not fit between brackets. Is a comma or a bracket missing? Inside { } and [ ], maps and lists have brackets too.";
    case "ALIAS_PROPS":
    case "MULTIPLE_ANCHORS":
    case "MULTIPLE_TAGS":
      return `${message}. Remove what is too much.`;
    case "MISSING_CHAR":
      return missingAdvice(message);
    case "UNEXPECTED_TOKEN":
      return unexpectedAdvice(message);
    default:
      return `${message}.`;
  }
}

const NO_KEY =
  'This is no key: a key has ": " after it, on the same line. Is the colon missing, or the space after it?';

function indentAdvice(message: string): string {
  const what = /^All (mapping|sequence) items/.exec(message)?.[1];
  if (what === undefined) return `${message}.`;
  return `The indentation fits nothing above. ${what === "mapping" ? "The keys of a map" : "The items of a list"} all start in one column.`;
}

function missingAdvice(message: string): string {
  if (message.startsWith("Missing closing"))
    return "Nothing closes this quote. Write it once more where the text ends.";
  if (message.startsWith("Missing directives"))
    return "A line that begins with % stands before this. Remove that line.";
  if (message.startsWith("Implicit map keys")) return NO_KEY;
  if (message.startsWith("Block collection")) return "What follows --- begins on a line of its own.";
  if (message.startsWith("Missing ,")) return "A comma is missing before this.";
  if (message.startsWith("Comments")) return "Put a space before the #, or the whole text in quotes.";
  return `${message}.`;
}

function unexpectedAdvice(message: string): string {
  if (/at node end$/.test(message)) {
    return "The value has ended before this. If it belongs to it, put the whole value in double quotes.";
  }
  if (/flow-(map|seq)-end/.test(message)) return "This bracket closes nothing. Remove it.";
  if (/^Unexpected (,|empty item) in/.test(message)) return "Nothing stands before this comma. Remove it.";
  if (/^Not a YAML token/.test(message))
    return "This belongs to nothing here. If it is a text, put it in quotes, on the line of its key.";
  if (/^Block scalar header/.test(message))
    return "The text begins on the line after this | or >. Move it there.";
  if (/block-seq-ind on same line with key/.test(message))
    return 'A list begins on a line of its own, each item after "- ".';
  if (/in YAML stream/.test(message))
    return "This belongs to nothing above it. Check the indentation of the lines before.";
  return `${message}.`;
}
