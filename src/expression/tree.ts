/**
 * A filter expression as data: what a text means, without its parentheses, its spelling of operators and literals.
 * The shapes follow the grammar of wirefilter, the service's open-source engine.
 */
export type Expression = Combination | Negation | Quantifier | Comparison;

/** Where a node stands in the text. Offsets are UTF-16 indices; `end` is exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** `a and b and c` is one with three items; `(a and b) and c` is one inside another. */
export interface Combination extends Place {
  readonly as: "and" | "xor" | "or";
  /** At least two. */
  readonly items: readonly Expression[];
}

/** `not …` */
export interface Negation extends Place {
  readonly as: "not";
  readonly item: Expression;
}

/** `any(…)` and `all(…)`, over a list of Booleans. */
export interface Quantifier extends Place {
  readonly as: "any" | "all";
  readonly item: Expression;
}

/** A condition: a left side and what is asked of it. */
export interface Comparison extends Place {
  readonly as: "comparison";
  readonly left: Value;
  readonly test: Test;
}

/** What a comparison asks of its left side. */
export type Test =
  /** No operator: the left side is a Boolean itself, or a list of them. */
  | { readonly as: "is_true" }
  | { readonly as: "order"; readonly operator: Order; readonly right: Literal }
  /** Another value of the request: `ne raw.http.request.uri.path`. So far the engine takes one after an order only. */
  | { readonly as: "value"; readonly operator: Operator; readonly right: Value }
  | { readonly as: "bits"; readonly right: bigint }
  | { readonly as: "in"; readonly ranges: readonly Element[] }
  /** A list of the account: `in $name`, here without the `$`. */
  | { readonly as: "in_list"; readonly name: string }
  | { readonly as: "contains"; readonly right: Bytes }
  | { readonly as: "matches"; readonly pattern: Bytes }
  /** The pattern as the engine sees it: `\*` is a star, `\\` a backslash, `*` is anything. */
  | { readonly as: "wildcard"; readonly pattern: Bytes; readonly caseless: boolean };

/** The operators that put values in an order, by their English names. */
export type Order = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

/** All operators of comparisons, by their English names. */
export type Operator = Order | "in" | "bitwise_and" | "contains" | "matches" | "wildcard" | "strict wildcard";

/** What stands on the left side of a comparison, and may stand on the right side of one. */
export type Value = Field | Call;

/**
 * A field of the request: `http.host`, `http.request.headers["x"][0]`. An operand of a form that this version does not
 * know counts as a field that it does not know, with the name `1.5`.
 */
export interface Field extends Place {
  readonly as: "field";
  readonly name: string;
  readonly indexes: readonly Index[];
}

/** `lower(http.host)` */
export interface Call extends Place {
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

/** What a function is given. */
export type Argument =
  | { readonly as: "value"; readonly value: Value }
  | { readonly as: "literal"; readonly literal: Literal }
  | { readonly as: "expression"; readonly expression: Expression };

/** A value that is written out, with its type in the engine. */
export type Literal =
  | { readonly type: "Bytes"; readonly value: Bytes }
  | { readonly type: "Int"; readonly value: bigint }
  | { readonly type: "Ip"; readonly value: Ip };

/** One of those between `{` and `}`. */
export type Element = Range & Place;

/** What an element of `{…}` stands for. Both ends belong to it; a single number or address is a range of one. */
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
 * The engine's strings are bytes. Here each character is one of them, from U+0000 to U+00FF: `é` as text is the two
 * characters `Ã©`. `toBytes` and `fromBytes` lead there and back.
 */
export type Bytes = string;
