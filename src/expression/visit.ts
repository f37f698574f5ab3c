import { constantNamed, fieldType } from "./tables/fields.js";
import { signatureOf } from "./tables/functions.js";
import type { Argument, Comparison, Expression, Field, Value } from "./tree.js";

/** All comparisons of an expression, in text order. Comparisons in arguments follow the one that contains them. */
export function comparisonsOf(expression: Expression): readonly Comparison[] {
  return nodesOf(expression).filter((each) => each.as === "comparison");
}

/** An expression, then all expressions inside of it. */
function nodesOf(expression: Expression): readonly Expression[] {
  const inner =
    expression.as === "comparison" ? sidesOf(expression).flatMap(expressionsIn) : partsOf(expression);
  return [expression, ...inner.flatMap(nodesOf)];
}

function partsOf(expression: Exclude<Expression, Comparison>): readonly Expression[] {
  return "items" in expression ? expression.items : [expression.item];
}

/** The comparisons outside of arguments. */
export function comparisonsIn(expression: Expression): readonly Comparison[] {
  return expression.as === "comparison" ? [expression] : partsOf(expression).flatMap(comparisonsIn);
}

/** The comparisons directly after a `not`, also with `any` between. */
export function negatedIn(expression: Expression): ReadonlySet<Expression> {
  const negated = nodesOf(expression).flatMap((each) => (each.as === "not" ? [each.item] : []));
  return new Set(negated.map((item) => (item.as === "any" ? item.item : item)));
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
  return [value, ...argumentsOf(value).flatMap((each) => (each.as === "value" ? valuesIn(each.value) : []))];
}

function expressionsIn(value: Value): readonly Expression[] {
  return valuesIn(value)
    .flatMap(argumentsOf)
    .flatMap((each) => (each.as === "expression" ? [each.expression] : []));
}

function argumentsOf(value: Value): readonly Argument[] {
  return value.as === "call" ? value.args : [];
}
