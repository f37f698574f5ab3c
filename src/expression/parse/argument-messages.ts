import { functions, parameterAt } from "../tables/functions.js";
import { describeType, type Type } from "../tables/types.js";

export function argumentCount(name: string): string {
  const signature = functions.get(name);
  if (signature === undefined) return `\`${name}\` has another number of arguments.`;
  const { least, most, parameters } = signature;
  const names = parameters.map((parameter) => parameter.name).join(", ");
  const count = most === null ? `at least ${least}` : most === least ? `${least}` : `${least} to ${most}`;
  return `\`${name}\` takes ${count} argument${count === "1" ? "" : "s"}: ${names}.`;
}

export function argumentKind(name: string, index: number): string {
  const { parameter, what } = argumentOf(name, index);
  return parameter?.kind === "literal"
    ? `${what} has to be written out: no field and no call may stand there.`
    : `${what} has to be a field or a call: nothing written out may stand there.`;
}

export function argumentType(name: string, index: number, type: Type, first: Type | null): string {
  const { parameter, what } = argumentOf(name, index);
  const types = parameter?.types.map((each) => (each === "Array" ? "Array" : describeType(each))) ?? [];
  const wanted = first === null ? types.join(" or ") : `${describeType(first)}, as the first one has`;
  return `${what} has to have the type ${wanted}, but this has the type ${describeType(type)}.`;
}

export function argumentValue(name: string, index: number): string {
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
