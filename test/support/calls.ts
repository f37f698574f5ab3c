import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** Counts the calls of a function in a source file (a path below `src`) during some work, with V8's coverage. */
export async function callsWhile(
  run: () => Promise<unknown>,
  file: string,
  functionName: string,
): Promise<number> {
  const path = fileURLToPath(new URL(`../../src/${file}`, import.meta.url));
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await run();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const script = result.find(({ url }) => url.endsWith(path));
    const counts = (script?.functions ?? [])
      .filter((each) => each.functionName === functionName)
      .map(({ ranges: [whole] }) => whole?.count ?? 0);
    return counts.reduce((sum, each) => sum + each, 0);
  } finally {
    session.disconnect();
  }
}
