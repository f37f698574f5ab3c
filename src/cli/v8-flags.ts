import { setFlagsFromString } from "node:v8";

/** Has V8 take less time and memory for what a command does. What was compiled before these are set, it rejects after. */
export function setFlags(): void {
  // The heap may grow by half of what is in use before it is cleared, in place of up to three times that: a plan of a large
  // fleet is mostly made of what is soon forgotten.
  setFlagsFromString("--heap-growing-percent=50");
  // What is new is kept apart, in a space that doubles while more of it stays in use: large commands need all of it at once.
  setFlagsFromString("--semi-space-growth-factor=4");
  // The parser of HTTP is WebAssembly, of which the first answers would have V8 compile a very large function once more: that
  // takes a tenth of a second, for which the end of the run waits, and is more than all answers of a large fleet would save.
  setFlagsFromString("--wasm-tiering-budget=2000000000");
  const [version = ""] = process.versions.v8.split(".");
  const later = LATER[version];
  if (later !== undefined) setFlagsFromString(later);
}

/**
 * By versions of V8, those of Node 20 and 22: these have nothing between a quick compiler and a thorough one, which soon
 * takes longer than it saves in a plan of some hundred zones. Code has to run seven times as long as usual before it is
 * worth that. Later versions have something between.
 */
const LATER: Readonly<Record<string, string>> = {
  11: "--interrupt-budget=500000",
  12: "--invocation-count-for-turbofan=20000",
};
