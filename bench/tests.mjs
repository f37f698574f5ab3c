// Prints the processor time of the tests. With --tests, each project is measured, which takes a quarter of an hour.
import { measureShell } from "./measure.mjs";

/** The total before the split into projects. Each file loaded its own modules, and each command line was a process. */
const BEFORE_S = 1320;

const PROJECTS = ["unit", "stories", "process", "deep"];

console.log(`tests: ${BEFORE_S} s of processor time before there were projects`);
if (process.argv.includes("--tests")) {
  const taken = [];
  for (const project of PROJECTS) taken.push([project, await processorSeconds(project)]);
  for (const [project, seconds] of taken) console.log(`tests: ${seconds.toFixed(0)} s in ${project}`);
  const sum = (names) =>
    taken.reduce((all, [project, seconds]) => all + (names.includes(project) ? seconds : 0), 0).toFixed(0);
  console.log(`tests: ${sum(["unit", "stories"])} s in npm run quick`);
  console.log(`tests: ${sum(["unit", "stories", "process"])} s in npm test`);
  console.log(`tests: ${sum(PROJECTS)} s in all of them`);
} else console.log("tests: npm run bench -- --tests measures each project");

/** The time of the runner and all of its processes. */
async function processorSeconds(project) {
  const { cpuMs } = await measureShell(`node_modules/.bin/vitest run --project ${project} >&2`);
  return cpuMs / 1000;
}
