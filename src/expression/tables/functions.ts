import { isSameType, type Type, type TypeName, typeNamed } from "./types.js";

export interface Signature {
  readonly parameters: readonly Parameter[];
  /** The number of required arguments. */
  readonly least: number;
  /** Null: any number, because the last parameter repeats. */
  readonly most: number | null;
  /** "same": the type of the first argument, which all others must have. */
  readonly returns: Type | "same";
  /** The only place where the documentation has it. Null: no restriction is documented. */
  readonly only: string | null;
}

export interface Parameter {
  readonly name: string;
  /** "field" is any computed value, including another call. */
  readonly kind: "any" | "field" | "literal";
  readonly types: readonly (Type | "Array")[];
  /** The allowed values of a literal. */
  readonly range: readonly [least: bigint, most: bigint] | null;
}

/** `any` and `all` are not included: they are operators. */
export function signatureOf(name: string): Signature | undefined {
  return functions.get(name);
}

/** Undefined: there is no such argument. */
export function parameterAt(signature: Signature, index: number): Parameter | undefined {
  return signature.parameters[
    signature.most === null ? Math.min(index, signature.parameters.length - 1) : index
  ];
}

/** Whether an argument may have the type. */
export function takes(parameter: Parameter, type: Type): boolean {
  if (type.is === "Unknown") return true;
  return parameter.types.some((each) => (each === "Array" ? type.is === "Array" : isSameType(each, type)));
}

type Row = readonly [
  name: string,
  parameters: readonly Parameter[],
  returns: TypeName | "same",
  more?: { readonly optional?: number; readonly repeats?: true; readonly only?: string },
];

const rewrites = "rewrite expressions of Transform Rules";
const redirects = "target URL expressions of dynamic redirects";

/** The service's documentation of functions, and two that only third-party tools list. */
const rows: readonly Row[] = [
  [
    "cidr",
    [field("address", "Ip"), literal("ipv4_network_bits", 1, 32), literal("ipv6_network_bits", 1, 128)],
    "Ip",
    { only: "custom rules and rate limiting rules" },
  ],
  [
    "cidr6",
    [field("address", "Ip"), literal("ipv6_network_bits", 1, 128)],
    "Ip",
    { only: "custom rules and rate limiting rules" },
  ],
  ["concat", [any("values", "Bytes", "Array"), any("values", "Bytes", "Array")], "same", { repeats: true }],
  [
    "decode_base64",
    [field("source", "Bytes")],
    "Bytes",
    { only: "Transform Rules, custom rules and rate limiting rules" },
  ],
  [
    "encode_base64",
    [any("input", "Bytes"), literal("flags", "Bytes")],
    "Bytes",
    { optional: 1, only: "header transform rules" },
  ],
  ["ends_with", [field("source", "Bytes"), any("substring", "Bytes")], "Bool"],
  [
    "join",
    [any("items", "Array<Bytes>"), any("separator", "Bytes")],
    "Bytes",
    { only: "Transform Rules, custom rules and Custom Error Rules" },
  ],
  ["len", [any("value", "Bytes", "Array")], "Int"],
  ["lookup_json_integer", [any("field", "Bytes"), literal("key", "Bytes", "Int")], "Int", { repeats: true }],
  ["lookup_json_string", [any("field", "Bytes"), literal("key", "Bytes", "Int")], "Bytes", { repeats: true }],
  ["lower", [any("value", "Bytes")], "Bytes"],
  [
    "regex_replace",
    [any("source", "Bytes"), literal("regular_expression", "Bytes"), literal("replacement", "Bytes")],
    "Bytes",
    { only: `${rewrites} and ${redirects}` },
  ],
  ["remove_bytes", [any("value", "Bytes"), literal("bytes", "Bytes")], "Bytes"],
  [
    "remove_query_args",
    [field("field", "Bytes"), literal("query_param", "Bytes")],
    "Bytes",
    { repeats: true, only: rewrites },
  ],
  ["sha256", [any("input", "Bytes")], "Bytes", { only: "zones for which it was enabled" }],
  [
    "split",
    [any("input", "Bytes"), literal("separator", "Bytes"), literal("limit", 1, 128)],
    "Array<Bytes>",
    { only: "response header transform rules and Custom Error Rules" },
  ],
  ["starts_with", [field("source", "Bytes"), any("substring", "Bytes")], "Bool"],
  ["substring", [any("field", "Bytes"), any("start", "Int"), any("end", "Int")], "Bytes", { optional: 1 }],
  ["to_string", [any("value", "Int", "Bool", "Ip")], "Bytes", { only: `${rewrites} and ${redirects}` }],
  ["upper", [any("value", "Bytes")], "Bytes"],
  ["url_decode", [field("source", "Bytes"), literal("options", "Bytes")], "Bytes", { optional: 1 }],
  ["uuidv4", [any("source", "Bytes")], "Bytes", { only: rewrites }],
  [
    "wildcard_replace",
    [
      field("source", "Bytes"),
      literal("wildcard_pattern", "Bytes"),
      literal("replacement", "Bytes"),
      literal("flags", "Bytes"),
    ],
    "Bytes",
    { optional: 1, only: `rewrite expressions of URL rewrites and ${redirects}` },
  ],
  [
    "bit_slice",
    [any("protocol", "Bytes"), literal("offset_start", "Int"), literal("offset_end", "Int")],
    "Int",
    { only: "Magic Firewall" },
  ],
  [
    "is_timed_hmac_valid_v0",
    [
      literal("key", "Bytes"),
      any("messageMAC", "Bytes"),
      literal("ttl", "Int"),
      any("currentTimeStamp", "Int"),
      literal("lengthOfSeparator", "Int"),
      literal("flags", "Bytes"),
    ],
    "Bool",
    { optional: 2 },
  ],
  ["has_key", [field("map", "Map<Array<Bytes>>"), literal("key", "Bytes")], "Bool"],
  ["has_value", [field("values", "Array<Bytes>"), literal("value", "Bytes")], "Bool"],
  // Since October 2026.
  ["coalesce", [any("values", "Bytes", "Int", "Ip", "Bool", "Array")], "same", { repeats: true }],
  [
    "hash_in_range",
    [any("least", "Int"), any("end", "Int"), any("values", "Bytes", "Int", "Ip", "Bool")],
    "Int",
    { repeats: true },
  ],
];

function any(name: string, ...types: readonly (TypeName | "Array")[]): Parameter {
  return { name, kind: "any", types: types.map(typeOrArray), range: null };
}

function field(name: string, type: TypeName): Parameter {
  return { name, kind: "field", types: [typeOrArray(type)], range: null };
}

function literal(
  name: string,
  ...limits: readonly TypeName[] | readonly [least: number, most: number]
): Parameter {
  const [least, most] = limits;
  if (typeof least === "number" && typeof most === "number") {
    return { name, kind: "literal", types: [typeOrArray("Int")], range: [BigInt(least), BigInt(most)] };
  }
  return {
    name,
    kind: "literal",
    types: limits.flatMap((each) => (typeof each === "number" ? [] : [typeOrArray(each)])),
    range: null,
  };
}

function typeOrArray(type: TypeName | "Array"): Type | "Array" {
  return type === "Array" ? type : typeNamed(type);
}

export const functions: ReadonlyMap<string, Signature> = new Map(
  rows.map(([name, parameters, returns, { optional = 0, repeats = false, only = null } = {}]) => [
    name,
    {
      parameters,
      least: parameters.length - optional,
      most: repeats ? null : parameters.length,
      returns: returns === "same" ? returns : typeNamed(returns),
      only,
    },
  ]),
);
