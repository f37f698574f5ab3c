import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** A source file, as a path below `src`, and a function in it. */
type Counted = readonly [file: string, functionName: string];

/** Counts the calls of each function during some work, with V8's coverage. */
export async function callsWhile<Name extends string>(
  run: () => Promise<unknown>,
  functions: Readonly<Record<Name, Counted>>,
): Promise<Record<Name, number>> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await run();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const callsOf = ([file, functionName]: Counted) => {
      const path = fileURLToPath(new URL(`../../src/${file}`, import.meta.url));
      const script = result.find(({ url }) => url.endsWith(path));
      const named = (script?.functions ?? []).filter((each) => each.functionName === functionName);
      return named.reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);
    };
    const entries = Object.entries<Counted>(functions).map(([name, each]) => [name, callsOf(each)]);
    return Object.fromEntries(entries);
  } finally {
    session.disconnect();
  }
}
