import type { Element, Literal } from "../tree.js";

/** The elements of a set in one order, each once; numbers and addresses that overlap or follow each other are one. */
export function joined(elements: readonly Element[]): readonly Element[] {
  const all: Element[] = [];
  for (const element of elements.toSorted(order)) {
    const last = all.at(-1);
    const both = last === undefined ? null : together(last, element);
    if (both === null) all.push(element);
    else all[all.length - 1] = both;
  }
  return all;
}

/** What an element stands for if that is one value. */
export function literalOf(element: Element): Literal | null {
  switch (element.type) {
    case "Bytes":
      return { type: "Bytes", value: element.value };
    case "Int":
      return element.from === element.to ? { type: "Int", value: element.from } : null;
    case "Ip":
      return element.from.bits === element.to.bits ? { type: "Ip", value: element.from } : null;
  }
}

function order(one: Element, other: Element): number {
  const [a, b] = [first(one), first(other)];
  if (one.type === "Ip" && other.type === "Ip" && one.from.version !== other.from.version) {
    return one.from.version - other.from.version;
  }
  return a === b ? 0 : a < b ? -1 : 1;
}

function first(element: Element): string | bigint {
  switch (element.type) {
    case "Bytes":
      return element.value;
    case "Int":
      return element.from;
    case "Ip":
      return element.from.bits;
  }
}

/** One element for both, if the second begins in the first one or right behind it; null if there is a gap. */
function together(before: Element, next: Element): Element | null {
  switch (before.type) {
    case "Bytes":
      return next.type === "Bytes" && next.value === before.value ? before : null;
    case "Int": {
      if (next.type !== "Int" || next.from > before.to + 1n) return null;
      const last = before.to > next.to ? before : next;
      return { ...before, to: last.to };
    }
    case "Ip": {
      if (next.type !== "Ip" || next.from.version !== before.from.version) return null;
      if (next.from.bits > before.to.bits + 1n) return null;
      const last = before.to.bits > next.to.bits ? before : next;
      return { ...before, to: last.to };
    }
  }
}
