// Prints the processor time that tests take: with --tests, of each project as it is now. That takes a quarter of an hour.
import { spawnSync } from "node:child_process";

/** All of them, when there was one project with a module graph for each file and a process for each command line. */
const BEFORE_S = 1320;

const PROJECTS = ["unit", "stories", "process", "deep"];

console.log(`tests: ${BEFORE_S} s of processor time before there were projects`);
if (process.argv.includes("--tests")) {
  const taken = PROJECTS.map((project) => [project, processorSeconds(project)]);
  for (const [project, seconds] of taken) console.log(`tests: ${seconds.toFixed(0)} s in ${project}`);
  const sum = (names) =>
    taken.reduce((all, [project, seconds]) => all + (names.includes(project) ? seconds : 0), 0).toFixed(0);
  console.log(`tests: ${sum(["unit", "stories"])} s in npm run quick`);
  console.log(`tests: ${sum(["unit", "stories", "process"])} s in npm test`);
  console.log(`tests: ${sum(PROJECTS)} s in all of them`);
} else console.log("tests: npm run bench -- --tests measures each project");

/** Of the runner and of all that it starts: a shell says what its children took. */
function processorSeconds(project) {
  const command = `node_modules/.bin/vitest run --project ${project} >&2; times`;
  const { stdout } = spawnSync("sh", ["-c", command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [, children] = stdout.trim().split("\n");
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (all, [, minutes, seconds]) => all + 60 * Number(minutes) + Number(seconds),
    0,
  );
}
