/** What a field, a function or an index gives. `Bytes` is what the service's documentation calls String. */
export type Type = Simple | { readonly is: "Array" | "Map"; readonly of: Type };

export interface Simple {
  readonly is: "Bytes" | "Int" | "Ip" | "Bool" | "Unknown";
}

/** A type as it is written in the tables: `Map<Array<Bytes>>`. */
export type TypeName = Exclude<Simple["is"], "Unknown"> | `Array<${string}>` | `Map<${string}>`;

export const BYTES: Type = { is: "Bytes" };
export const INT: Type = { is: "Int" };
export const IP: Type = { is: "Ip" };
export const BOOL: Type = { is: "Bool" };
export const BOOLS: Type = { is: "Array", of: BOOL };
/** What the service has learnt since this version. It fits wherever a type is asked for. */
export const UNKNOWN: Type = { is: "Unknown" };

const simple: Readonly<Record<string, Type>> = { Bytes: BYTES, Int: INT, Ip: IP, Bool: BOOL };

export function typeNamed(name: string): Type {
  const found = simple[name];
  if (found !== undefined) return found;
  const [is, of] = name.startsWith("Array<")
    ? (["Array", name.slice(6, -1)] as const)
    : (["Map", name.slice(4, -1)] as const);
  return { is, of: typeNamed(of) };
}

const SIMPLE: readonly TypeName[] = ["Bytes", "Int", "Ip", "Bool"];

/** The types that fields have, by their names. */
export const TYPE_NAMES: readonly string[] = ["", "Array<", "Map<", "Array<Array<", "Map<Array<"].flatMap(
  (open) => SIMPLE.map((name) => `${open}${name}${">".repeat(open.split("<").length - 1)}`),
);

export function isSameType(one: Type, other: Type): boolean {
  if (one.is === "Unknown" || other.is === "Unknown") return true;
  if ("of" in one && "of" in other) return one.is === other.is && isSameType(one.of, other.of);
  return one.is === other.is;
}

/** As the service's documentation names it. */
export function describeType(type: Type): string {
  switch (type.is) {
    case "Bytes":
      return "String";
    case "Int":
      return "Integer";
    case "Ip":
      return "IP address";
    case "Bool":
      return "Boolean";
    case "Unknown":
      return "unknown";
    case "Array":
    case "Map":
      return `${type.is}<${describeType(type.of)}>`;
  }
}
