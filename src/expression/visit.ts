import { constantNamed, fieldType } from "./tables/fields.js";
import { signatureOf } from "./tables/functions.js";
import type { Comparison, Expression, Field, Negation, Value } from "./tree.js";

/** All comparisons of an expression, in text order. Comparisons in arguments follow the one that contains them. */
export function comparisonsOf(expression: Expression): readonly Comparison[] {
  return comparisonsIn(expression).flatMap((each) => [
    each,
    ...sidesOf(each).flatMap(expressionsIn).flatMap(comparisonsOf),
  ]);
}

/** The comparisons outside of arguments. */
export function comparisonsIn(expression: Expression): readonly Comparison[] {
  switch (expression.as) {
    case "and":
    case "xor":
    case "or":
      return expression.items.flatMap(comparisonsIn);
    case "not":
    case "any":
    case "all":
      return comparisonsIn(expression.item);
    case "comparison":
      return [expression];
  }
}

/** The comparisons directly after a `not`, also with `any` between. */
export function negatedIn(expression: Expression): ReadonlySet<Comparison> {
  return new Set(negations(expression).flatMap(({ item }) => comparisonBehind(item)));
}

function negations(expression: Expression): readonly Negation[] {
  switch (expression.as) {
    case "and":
    case "xor":
    case "or":
      return expression.items.flatMap(negations);
    case "not":
      return [expression, ...negations(expression.item)];
    case "any":
    case "all":
      return negations(expression.item);
    case "comparison":
      return sidesOf(expression).flatMap(expressionsIn).flatMap(negations);
  }
}

function comparisonBehind(item: Expression): readonly Comparison[] {
  const inner = item.as === "any" ? item.item : item;
  return inner.as === "comparison" ? [inner] : [];
}

/** All fields and calls of an expression, in text order. */
export function valuesOf(expression: Expression): readonly Value[] {
  return comparisonsOf(expression).flatMap((each) => sidesOf(each).flatMap(valuesIn));
}

/** The values on both sides of a comparison. */
function sidesOf({ left, test }: Comparison): readonly Value[] {
  return test.as === "value" ? [left, test.right] : [left];
}

/** All fields of an expression except `true` and `false`, in text order. */
export function fieldsOf(expression: Expression): readonly Field[] {
  return valuesOf(expression).flatMap((each) =>
    each.as === "field" && constantNamed(each.name) === null ? [each] : [],
  );
}

/** The fields and functions of an expression that the tables lack. */
export function unknownNamesOf(expression: Expression): readonly string[] {
  const unknown = valuesOf(expression).filter(({ as, name }) =>
    as === "field" ? fieldType(name) === undefined : signatureOf(name) === undefined,
  );
  return [...new Set(unknown.map(({ name }) => name))];
}

/** A value and the values in its arguments, without those inside of expressions. */
function valuesIn(value: Value): readonly Value[] {
  if (value.as === "field") return [value];
  return [
    value,
    ...value.args.flatMap((argument) => (argument.as === "value" ? valuesIn(argument.value) : [])),
  ];
}

function expressionsIn(value: Value): readonly Expression[] {
  return valuesIn(value).flatMap((each) =>
    each.as === "field"
      ? []
      : each.args.flatMap((argument) => (argument.as === "expression" ? [argument.expression] : [])),
  );
}
