// Loaded into a traced program. Records which functions are called, and which return a value that contains the mark.
import { writeFileSync } from "node:fs";

const { TRACE_OUTPUT: output, TRACE_MARK: mark } = process.env;
delete process.env.TRACE_OUTPUT;
delete process.env.TRACE_MARK;

/** Larger or deeper values are not searched. */
const DEPTH = 12;
const PARTS = 5000;

const calls = new Map();
const marked = new Set();
let loading = 0;

globalThis.__load = (by) => {
  loading += by;
};
globalThis.__in = (id) => {
  if (loading === 0) calls.set(id, (calls.get(id) ?? 0) + 1);
};
globalThis.__out = (id, value) => {
  if (mark !== "" && loading === 0 && !marked.has(id) && has(value, DEPTH, { left: PARTS })) marked.add(id);
  return value;
};

function has(value, depth, parts) {
  if (typeof value === "string") return value.includes(mark);
  if (typeof value !== "object" || value === null || depth === 0 || parts.left-- <= 0) return false;
  if (Buffer.isBuffer(value)) return value.includes(mark);
  if (value instanceof Map) return has([...value], depth, parts);
  if (value instanceof Set) return has([...value], depth, parts);
  const descriptors = Object.values(Object.getOwnPropertyDescriptors(value));
  return descriptors.some((each) => has(each.value, depth - 1, parts)); // getters are not called
}

process.on("exit", () => {
  writeFileSync(output, JSON.stringify({ calls: [...calls], marked: [...marked] }));
});
