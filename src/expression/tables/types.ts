/** The type of a field, function or index. `Bytes` is String in the service's documentation. */
export type Type = Simple | { readonly is: "Array" | "Map"; readonly of: Type };

export interface Simple {
  readonly is: "Bytes" | "Int" | "Ip" | "Bool" | "Unknown";
}

/** A type as written in the tables: `Map<Array<Bytes>>`. */
export type TypeName = Exclude<Simple["is"], "Unknown"> | `Array<${string}>` | `Map<${string}>`;

export const BYTES: Type = { is: "Bytes" };
export const INT: Type = { is: "Int" };
export const IP: Type = { is: "Ip" };
export const BOOL: Type = { is: "Bool" };
export const BOOLS: Type = { is: "Array", of: BOOL };
/** A type that the service has learnt since this version. It fits everywhere. */
export const UNKNOWN: Type = { is: "Unknown" };

const simple: Readonly<Record<string, Type>> = { Bytes: BYTES, Int: INT, Ip: IP, Bool: BOOL };

export function typeNamed(name: string): Type {
  const simpleType = simple[name];
  if (simpleType !== undefined) return simpleType;
  const [is, of] = name.startsWith("Array<")
    ? (["Array", name.slice(6, -1)] as const)
    : (["Map", name.slice(4, -1)] as const);
  return { is, of: typeNamed(of) };
}

const SIMPLE: readonly TypeName[] = ["Bytes", "Int", "Ip", "Bool"];

/** The possible types of fields, by name. */
export const TYPE_NAMES: readonly string[] = ["", "Array<", "Map<", "Array<Array<", "Map<Array<"].flatMap(
  (open) => SIMPLE.map((name) => `${open}${name}${">".repeat(open.split("<").length - 1)}`),
);

export function isSameType(a: Type, b: Type): boolean {
  if (a.is === "Unknown" || b.is === "Unknown") return true;
  if ("of" in a && "of" in b) return a.is === b.is && isSameType(a.of, b.of);
  return a.is === b.is;
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
