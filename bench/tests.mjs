// Prints the processor time that tests take: with --tests, of each project as it is now. That takes a quarter of an hour.
import { measureShell } from "./measure.mjs";

/** All of them, when there was one project with a module graph for each file and a process for each command line. */
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

/** Of the runner and of all that it starts. */
async function processorSeconds(project) {
  const { cpuMs } = await measureShell(`node_modules/.bin/vitest run --project ${project} >&2`);
  return cpuMs / 1000;
}
