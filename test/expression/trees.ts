import type {
  Comparison,
  Element,
  Expression,
  Field,
  Index,
  Ip,
  Test,
  Value,
} from "../../src/expression/tree.js";
import { toBytes } from "../../src/expression/value.js";
import { fc } from "../support/random.js";

/** A tree as text without places, so that trees compare equal that differ only in places. */
export function withoutPlaces(tree: Expression): string {
  return JSON.stringify(tree, (key, value) =>
    key === "start" || key === "end" ? undefined : typeof value === "bigint" ? `${value}` : value,
  );
}

const place = { start: 0, end: 0 };

function field(name: string, ...indexes: readonly Index[]): Field {
  return { as: "field", name, indexes, ...place };
}

const bytes = fc.oneof(
  fc.string({ unit: "grapheme" }).map(toBytes),
  fc.array(fc.integer({ min: 0, max: 255 })).map((codes) => String.fromCharCode(...codes)),
);
const int = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const ip: fc.Arbitrary<Ip> = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((bits) => ({ version: 4, bits }) as const),
  fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map((bits) => ({ version: 6, bits }) as const),
  fc.bigInt({ min: 0n, max: 2n ** 48n }).map((bits) => ({ version: 6, bits }) as const),
);
const order = fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge");
const regex = fc
  .constantFrom(
    "a",
    "",
    "a\\.b",
    '"',
    '\\"',
    '["]',
    '[\\"]',
    "[[:alpha:]]",
    "a]b",
    '"#"##',
    "\\[",
    "(a|b){2}",
  )
  .map(toBytes);
const wildcard = fc
  .array(fc.constantFrom("a", "\\*", "\\\\", '"', "?", "é").map(toBytes), { maxLength: 4 })
  .chain((parts) => fc.constantFrom(parts.join(""), parts.join("*"), `*${parts.join("")}`))
  .filter((pattern) => !/(?:^|[^\\])(?:\\\\)*\*\*/.test(pattern));

const bytesTest: fc.Arbitrary<Test> = fc.oneof(
  fc.record({
    as: fc.constant("order" as const),
    operator: order,
    right: bytes.map((value) => ({ type: "Bytes", value }) as const),
  }),
  fc.record({
    as: fc.constant("in" as const),
    ranges: fc.array(
      bytes.map((value) => ({ type: "Bytes", value, ...place }) as const),
      { maxLength: 3 },
    ),
  }),
  fc.record({ as: fc.constant("contains" as const), right: bytes }),
  fc.record({ as: fc.constant("matches" as const), pattern: regex }),
  fc.record({ as: fc.constant("wildcard" as const), pattern: wildcard, caseless: fc.boolean() }),
  fc.constant({ as: "in_list", name: "my_list" } as const),
);
const intTest: fc.Arbitrary<Test> = fc.oneof(
  fc.record({
    as: fc.constant("order" as const),
    operator: order,
    right: int.map((value) => ({ type: "Int", value }) as const),
  }),
  fc.record({ as: fc.constant("bits" as const), right: int }),
  fc.record({
    as: fc.constant("in" as const),
    ranges: fc.array(fc.tuple(int, int).map(intRange), { maxLength: 3 }),
  }),
);
const ipTest: fc.Arbitrary<Test> = fc.oneof(
  fc.record({
    as: fc.constant("order" as const),
    operator: order,
    right: ip.map((value) => ({ type: "Ip", value }) as const),
  }),
  fc.record({
    as: fc.constant("in" as const),
    ranges: fc.array(fc.tuple(ip, fc.integer({ min: 0, max: 40 })).map(ipRange), { maxLength: 3 }),
  }),
);

function intRange([one, other]: readonly [bigint, bigint]): Element {
  return { type: "Int", from: one < other ? one : other, to: one < other ? other : one, ...place };
}

/**
 * The range of a network with this many free bits. Every third range ends elsewhere, so that it is not a
 * network.
 */
function ipRange([address, free]: readonly [Ip, number]): Element {
  const most = address.version === 4 ? 32 : 128;
  const size = 1n << BigInt(Math.min(free, most));
  const from = (address.bits / size) * size;
  const to = free % 3 === 0 ? from + size / 2n : from + size - 1n;
  return { type: "Ip", from: { ...address, bits: from }, to: { ...address, bits: to }, ...place };
}

const key = fc.string({ unit: "grapheme" }).map((each) => ({ as: "key", key: each }) as const);
const at = fc.nat().map((each) => ({ as: "at", at: each }) as const);
const text: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom(field("http.host"), field("http.request.uri.path"), field("ip.src.country")),
  fc.tuple(key, at).map(([one, other]) => field("http.request.headers", one, other)),
);
const lowered = text.map((value) => call("lower", { as: "value", value }));
const list: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(field("http.request.headers.names", { as: "each" })),
  key.map((each) => field("http.request.headers", each, { as: "each" })),
);

function call(name: string, ...args: Extract<Value, { as: "call" }>["args"]): Value {
  return { as: "call", name, args, indexes: [], ...place };
}

function comparison([left, test]: readonly [Value, Test]): Comparison {
  return { as: "comparison", left, test, ...place };
}

const isTrue: Test = { as: "is_true" };
const valueTest: fc.Arbitrary<Test> = fc.record({
  as: fc.constant("value" as const),
  operator: order,
  right: fc.oneof(text, lowered),
});

const { one } = fc.letrec<{ one: Expression; each: Expression }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .tuple(fc.oneof(text, lowered), fc.oneof({ weight: 4, arbitrary: bytesTest }, valueTest))
      .map(comparison),
    fc.tuple(fc.constant(field("cf.edge.server_port")), intTest).map(comparison),
    fc.tuple(fc.constant(field("ip.src")), ipTest).map(comparison),
    fc.constantFrom(field("ssl"), field("true")).map((left) => comparison([left, isTrue])),
    fc
      .tuple(text, bytes)
      .map(([value, affix]) =>
        call(
          "starts_with",
          { as: "value", value },
          { as: "literal", literal: { type: "Bytes", value: affix } },
        ),
      )
      .map((left) => comparison([left, isTrue])),
    combined(tie("one")),
    fc.record({ as: fc.constant("not" as const), item: tie("one") }).map((each) => ({ ...each, ...place })),
    fc
      .record({ as: fc.constantFrom("any", "all"), item: tie("each") })
      .map((each) => ({ ...each, ...place })),
    fc
      .tuple(tie("one"), bytesTest)
      .map(([expression, test]) => comparison([call("to_string", { as: "expression", expression }), test])),
  ),
  each: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(list, bytesTest).map(comparison),
    combined(tie("each")),
    fc.record({ as: fc.constant("not" as const), item: tie("each") }).map((each) => ({ ...each, ...place })),
  ),
}));

function combined(item: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  const items = fc.array(item, { minLength: 2, maxLength: 3 });
  return fc.record({ as: fc.constantFrom("and", "xor", "or"), items }).map((each) => ({ ...each, ...place }));
}

/** Random trees with correct types. Their places are not correct. */
export const anyTree: fc.Arbitrary<Expression> = one;
