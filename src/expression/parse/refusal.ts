import type { Type } from "../tables/types.js";

/** Why the engine refuses an expression, with what a message needs to know besides the place in the text. */
export type Refused =
  | { readonly code: "expected_name" }
  | { readonly code: "unknown_name"; readonly name: string }
  | { readonly code: "expected"; readonly sign: "(" | ")" | "]" | "{" | "," }
  | { readonly code: "expected_operator"; readonly type: Type }
  | { readonly code: "unsupported_operator"; readonly operator: string; readonly type: Type }
  | { readonly code: "left_over" }
  | { readonly code: "expected_value"; readonly type: Type | null }
  | { readonly code: "expected_string"; readonly operator: string }
  /** @property from where the string should have begun */
  | { readonly code: "invalid_bytes"; readonly from: number }
  | { readonly code: "invalid_escape"; readonly escape: string }
  | { readonly code: "unclosed_string" }
  /** @property bracket where the `[` stands that keeps the quote from ending the string */
  | { readonly code: "unclosed_class"; readonly bracket: number }
  | { readonly code: "unclosed_raw_prefix" }
  | { readonly code: "too_many_hashes" }
  | { readonly code: "expected_digit" }
  | { readonly code: "invalid_integer"; readonly digits: string; readonly radix: 8 | 10 | 16 }
  | { readonly code: "integer_out_of_range"; readonly digits: string }
  | { readonly code: "reversed_range" }
  | { readonly code: "expected_address" }
  | { readonly code: "invalid_address"; readonly address: string }
  | { readonly code: "invalid_prefix"; readonly prefix: string }
  | { readonly code: "prefix_too_long"; readonly most: number }
  | { readonly code: "host_bits"; readonly network: string }
  | { readonly code: "invalid_list_name"; readonly name: string }
  | { readonly code: "invalid_regex"; readonly detail: string }
  | { readonly code: "invalid_wildcard"; readonly detail: string }
  | { readonly code: "invalid_index" }
  | { readonly code: "index_too_large" }
  | { readonly code: "index_not_utf8" }
  | { readonly code: "unsupported_index"; readonly type: Type }
  | { readonly code: "expected_list"; readonly quantifier: "any" | "all"; readonly type: Type }
  | { readonly code: "mixed_operands"; readonly left: Type; readonly right: Type }
  | { readonly code: "not_boolean"; readonly type: Type }
  | { readonly code: "argument_count"; readonly name: string }
  | { readonly code: "argument_kind"; readonly name: string; readonly index: number }
  | {
      readonly code: "argument_type";
      readonly name: string;
      readonly index: number;
      readonly type: Type;
      readonly first: Type | null;
    }
  | { readonly code: "argument_value"; readonly name: string; readonly index: number }
  | { readonly code: "argument_each"; readonly name: string }
  | { readonly code: "too_deep" };
