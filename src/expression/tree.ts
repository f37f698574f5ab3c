/**
 * A filter expression as data: its meaning, without parentheses and the spelling of operators and literals. The shapes
 * follow the grammar of wirefilter, the service's open-source engine.
 */
export type Expression = Combination | Negation | Quantifier | Comparison;

/** The place of a node in the text. Offsets are UTF-16 indices; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** `a and b and c` is one with three items; `(a and b) and c` is one inside another. */
export interface Combination extends TextRange {
  readonly as: "and" | "xor" | "or";
  /** At least two. */
  readonly items: readonly Expression[];
}

/** `not …` */
export interface Negation extends TextRange {
  readonly as: "not";
  readonly item: Expression;
}

/** `any(…)` and `all(…)`, over a list of Booleans. */
export interface Quantifier extends TextRange {
  readonly as: "any" | "all";
  readonly item: Expression;
}

/** A condition: a left side and its test. */
export interface Comparison extends TextRange {
  readonly as: "comparison";
  readonly left: Value;
  readonly test: Test;
}

/** The test of a comparison. */
export type Test =
  /** No operator: the left side is a Boolean, or a list of Booleans. */
  | { readonly as: "is_true" }
  | { readonly as: "order"; readonly operator: Order; readonly right: Literal }
  /** Another value of the request: `ne raw.http.request.uri.path`. The engine so far supports it for orders only. */
  | { readonly as: "value"; readonly operator: Operator; readonly right: Value }
  | { readonly as: "bits"; readonly right: bigint }
  | { readonly as: "in"; readonly ranges: readonly Element[] }
  /** A list of the account: `in $name`, here without the `$`. */
  | { readonly as: "in_list"; readonly name: string }
  | { readonly as: "contains"; readonly right: Bytes }
  | { readonly as: "matches"; readonly pattern: Bytes }
  /** The pattern as the engine reads it: `\*` is a star, `\\` a backslash, `*` is anything. */
  | { readonly as: "wildcard"; readonly pattern: Bytes; readonly caseless: boolean };

/** The operators that compare an order, by their English names. */
export type Order = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

/** All comparison operators, by their English names. */
export type Operator = Order | "in" | "bitwise_and" | "contains" | "matches" | "wildcard" | "strict wildcard";

/** The left side of a comparison, and possibly its right side. */
export type Value = Field | Call;

/**
 * A field of the request: `http.host`, `http.request.headers["x"][0]`. An operand of an unknown form counts as an
 * unknown field, such as one named `1.5`.
 */
export interface Field extends TextRange {
  readonly as: "field";
  readonly name: string;
  readonly indexes: readonly Index[];
}

/** `lower(http.host)` */
export interface Call extends TextRange {
  readonly as: "call";
  readonly name: string;
  readonly args: readonly Argument[];
  readonly indexes: readonly Index[];
}

/** `[*]`, `["key"]`, `[0]`. */
export type Index =
  | { readonly as: "each" }
  | { readonly as: "key"; readonly key: string }
  | { readonly as: "at"; readonly at: number };

/** An argument of a function. */
export type Argument =
  | { readonly as: "value"; readonly value: Value }
  | { readonly as: "literal"; readonly literal: Literal }
  | { readonly as: "expression"; readonly expression: Expression };

/** A literal, with its type in the engine. */
export type Literal =
  | { readonly type: "Bytes"; readonly value: Bytes }
  | { readonly type: "Int"; readonly value: bigint }
  | { readonly type: "Ip"; readonly value: Ip };

/** An element between `{` and `}`. */
export type Element = Range & TextRange;

/** The values of an element of `{…}`. Both ends are included; a single number or address is a range of one. */
export type Range =
  | { readonly type: "Bytes"; readonly value: Bytes }
  | { readonly type: "Int"; readonly from: bigint; readonly to: bigint }
  | { readonly type: "Ip"; readonly from: Ip; readonly to: Ip };

/** An address as a number of 32 or 128 bits. */
export interface Ip {
  readonly version: 4 | 6;
  readonly bits: bigint;
}

/**
 * The engine's strings are bytes. Here each character is one byte, from U+0000 to U+00FF: `é` as text is the two
 * characters `Ã©`. `toBytes` and `fromBytes` convert.
 */
export type Bytes = string;
