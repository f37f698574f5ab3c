import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual as equal } from "node:util";
import type { Edit, EditCall } from "../../src/emulator/index.js";
import type { Seed } from "../../src/index.js";
import type { PlanDocument } from "../../src/plan/generated/plan-document.js";
import { readPlan } from "../../src/plan/read-document.js";
import { essenceOf } from "../support/essence.js";
import { invariants, isOvertaken, protectionLost, touches, zoneOf } from "./invariants.js";
import { breach, count, type Notes, noteRun } from "./notes.js";
import { leftAlone } from "./others.js";
import { type Chapter, type Disturbance, type Saved, type Story, storyOf } from "./story.js";
import { type Errand, type Ran, run, UNDISTURBED, type World, worldOf } from "./world.js";

export interface Told {
  /** The story is the same for the same seed. */
  readonly text: string;
  /** Broken invariants; empty if all hold. */
  readonly broken: readonly string[];
  /** The count of each kind of event. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Generates a story from a seed, runs it with all of its disturbances and once without, and checks the invariants of every
 * run, of every chapter and of both runs.
 */
export async function simulate(seed: number): Promise<Told> {
  const story = storyOf(seed);
  const notes: Notes = { lines: [heading(story)], broken: [], others: [], counts: new Map() };
  count(notes, "stories");
  count(notes, `in the ${story.dialect} dialect`);
  if (story.zones.length > 1) count(notes, "with two zones");
  const ends = await tell(story, notes);
  await compare(story, ends, notes);
  return { text: `${notes.lines.join("\n")}\n`, broken: notes.broken, counts: notes.counts };
}

function heading({ seed, dialect, zones }: Story): string {
  const shown = zones.map(({ name, live, bodies }) =>
    [
      `live, ${name}: ${JSON.stringify(live)}`,
      ...bodies.map((each) => `declared: ${JSON.stringify(each)}`),
    ].join("\n"),
  );
  return [`seed ${seed}, ${dialect}`, ...shown].join("\n");
}

/** The end of a chapter. */
interface ChapterEnd {
  readonly state: Seed;
  readonly isDone: boolean;
  readonly isTakenBack: boolean;
  /** The changes made by others during the chapter. */
  readonly edits: readonly Edit[];
  /** Whether these changes affect nothing that the files may declare. */
  readonly isUntouched: boolean;
  /** A journal was lost, and with it which job replaces which. The remaining jobs do not fit the limit. */
  readonly hasForgotten: boolean;
}

/** An apply that can be rolled back. */
interface Undoable {
  readonly journal: string;
  readonly before: Seed;
}

async function tell(story: Story, notes: Notes): Promise<readonly ChapterEnd[]> {
  const world = await worldOf(story);
  const before = world.emulator.state();
  const ends: ChapterEnd[] = [];
  let undoable: Undoable | null = null;
  try {
    for (const chapter of story.chapters) {
      const told = await tellChapter(world, story, chapter, notes);
      ends.push(told.end);
      undoable = told.undoable;
    }
    if (story.rollback !== null && undoable !== null)
      await takeBack(world, story, undoable, story.rollback.tries, notes);
    const touched = leftAlone(story, before, world.emulator.state(), notes.others);
    breach(notes, "What the files do not own is byte for byte as it was", touched);
    return ends;
  } finally {
    await world.close();
  }
}

async function tellChapter(world: World, story: Story, chapter: Chapter, notes: Notes) {
  notes.lines.push(
    `\nThe files have body ${chapter.body}${chapter.guardrails === null ? "" : `, ${JSON.stringify(chapter.guardrails)}`}.`,
  );
  writeFiles(world, story, chapter, chapter.body);
  const tries = [...chapter.tries];
  const others: Edit[] = [];
  let runs: Ran[] = [];
  const before = world.emulator.state();
  if (chapter.saved !== null) {
    const { saved, made } = await savedPlan(world, chapter.saved, notes);
    others.push(...made.map(({ edit }) => edit));
    notes.others.push(...made.flatMap(({ calls }) => calls));
    if (saved !== null) {
      if (chapter.saved.areFilesChanged) writeFiles(world, story, chapter, chapter.body === 0 ? 1 : 0);
      const disturbance = tries.shift() ?? UNDISTURBED;
      runs.push(await apply(world, disturbance, saved, notes));
      writeFiles(world, story, chapter, chapter.body);
    }
  }
  let isTakenBack = false;
  for (const disturbance of tries) {
    const began = world.emulator.state();
    const ran = await apply(world, disturbance, null, notes);
    runs.push(ran);
    const isFirst = runs.length === 1 && editsIn(runs).length === 0;
    if (chapter.isTakenBack && isFirst && ran.journal !== null && isUsable(ran)) {
      count(notes, "taken back instead of finished");
      await takeBack(world, story, { journal: ran.journal.file, before: began }, [], notes);
      isTakenBack = true;
      break;
    }
  }
  let undoable: Undoable | null = null;
  if (!isTakenBack) {
    const preview = await apply(world, null, null, notes);
    const undo = world.emulator.state();
    const last = await apply(world, UNDISTURBED, null, notes);
    runs = [...runs, last];
    if (withoutRequestIds(preview) !== withoutRequestIds(last))
      breach(notes, "The same inputs give the same plan, byte for byte", ["they do not"]);
    if (last.report?.converged === true && last.journal !== null)
      undoable = { journal: last.journal.file, before: undo };
    if (last.report?.converged === true) judgeProtection(story, runs, others, before, notes);
  }
  const edits = [...others, ...editsIn(runs)];
  const end: ChapterEnd = {
    state: world.emulator.state(),
    isDone: runs.at(-1)?.report?.converged === true,
    isTakenBack,
    edits,
    isUntouched: edits.every(isBesideIn(chapter)) && !runs.some(isOvertaken),
    hasForgotten:
      runs.some(({ killed, journal }) => killed !== null && journal === null) && lacksRoom(runs.at(-1)),
  };
  return { end, undoable };
}

/** An answer that fails has the id of its request. */
function withoutRequestIds({ document }: Ran): string {
  return JSON.stringify(document).replace(/request id [\w-]+/g, "request id");
}

function lacksRoom(ran: Ran | undefined): boolean {
  const standing = (ran?.document?.guardrails ?? []).filter(({ allowed }) => !allowed);
  return standing.length > 0 && standing.every(({ name }) => name === "replace_with_gap");
}

function isBesideIn({ saved, tries }: Chapter): (edit: Edit) => boolean {
  const all = [
    ...(saved?.between ?? []),
    ...tries.flatMap(({ edits, meanwhile }) => [
      ...edits.map(({ others }) => others),
      ...(meanwhile === null ? [] : [meanwhile]),
    ]),
  ];
  const beside = new Set(all.filter((each) => each.isBeside).map(({ edit }) => JSON.stringify(edit)));
  return (edit) => beside.has(JSON.stringify(edit));
}

function writeFiles({ cwd }: World, { zones }: Story, { guardrails }: Chapter, body: 0 | 1): void {
  const entries = zones.map(({ name, id, isPinned, bodies }) => [
    name,
    { ...(isPinned ? { id } : {}), ...bodies[body] },
  ]);
  const file = {
    version: 1,
    ...(guardrails === null ? {} : { guardrails }),
    zones: Object.fromEntries(entries),
  };
  writeFileSync(path.join(cwd, "zoneward.yaml"), JSON.stringify(file));
}

/** A process that died may leave no journal line for a rollback. */
function isUsable({ journal }: Ran): boolean {
  return journal?.text.includes("\n") === true;
}

function editsIn(runs: readonly Ran[]): readonly Edit[] {
  return runs.flatMap(({ others }) => others.map(({ edit }) => edit));
}

interface SavedPlan {
  readonly document: PlanDocument;
  readonly refused: ReadonlySet<string>;
}

interface Saving {
  /** Null: the plan file is no longer a plan. */
  readonly saved: SavedPlan | null;
  /** The changes made by others in the meantime. */
  readonly made: readonly { readonly edit: Edit; readonly calls: readonly EditCall[] }[];
}

async function savedPlan(world: World, { between, tampered }: Saved, notes: Notes): Promise<Saving> {
  const { document } = await apply(world, null, null, notes);
  if (document === null) return { saved: null, made: [] };
  count(notes, "plans saved");
  const refused = new Set<string>();
  const made = between.map(({ edit }) => {
    const before = world.emulator.state();
    const calls = world.emulator.edit(edit);
    const shown = calls.map(({ method, path: at, status }) => `${method} ${at} ${status}`);
    notes.lines.push(`Somebody else: ${JSON.stringify(edit)} ${shown.join(", ") || "nothing"}`);
    const hasMoved = !equal(essenceOf(before), essenceOf(world.emulator.state()));
    if (hasMoved) count(notes, "another client's change between plan and apply");
    const zone = calls.flatMap((each) => zoneOf(each) ?? [])[0];
    // Others who delete the same object do a part of the plan, and the rest is still valid.
    const isAsPlanned = calls.every(({ method, path: at }) =>
      document.calls.some((call) => method === "DELETE" && call.method === method && call.path === at),
    );
    if (zone !== undefined && hasMoved && !isAsPlanned && touches(calls, document.calls)) refused.add(zone);
    return { edit, calls };
  });
  const edited = tamperedWith(document, tampered);
  if (edited.zone !== null) {
    count(notes, "plan files edited");
    notes.lines.push(`Somebody edits the plan file: ${tampered}`);
    refused.add(document.zones.find(({ zone }) => zone === edited.zone)?.zone_id ?? "");
  }
  const read = readPlan("plan.json", JSON.stringify(edited.document));
  if (!read.ok) count(notes, "plan files that are none any more");
  return { saved: read.ok ? { document: read.value, refused } : null, made };
}

function tamperedWith(
  document: PlanDocument,
  how: Saved["tampered"],
): { document: PlanDocument; zone: string | null } {
  const [call, ...calls] = document.calls;
  const [change, ...changes] = document.changes;
  if (how === null || call === undefined || change === undefined) return { document, zone: null };
  switch (how) {
    case "a call less":
      return { document: { ...document, calls }, zone: call.zone };
    case "a body":
      return {
        document: { ...document, calls: [{ ...call, body: { ...(call.body ?? {}), odd: true } }, ...calls] },
        zone: call.zone,
      };
    case "a path":
      return {
        document: { ...document, calls: [{ ...call, path: `${call.path}0` }, ...calls] },
        zone: call.zone,
      };
    case "what is shown": {
      const fields = [...change.fields, { path: "odd", before: null, after: 1, origin: "unknown" as const }];
      return { document: { ...document, changes: [{ ...change, fields }, ...changes] }, zone: change.zone };
    }
  }
}

/** Plans and applies. Without a relevant disturbance (null), only plans. */
async function apply(
  world: World,
  disturbance: Disturbance | null,
  saved: SavedPlan | null,
  notes: Notes,
): Promise<Ran> {
  const errand: Errand =
    disturbance === null ? { as: "plan" } : { as: "apply", saved: saved?.document ?? null };
  const ran = await run(world, errand, disturbance ?? UNDISTURBED);
  check(world, ran, saved, notes, saved === null ? errand.as : "apply of the saved plan");
  if (disturbance === null) return ran;
  count(notes, saved === null ? "applies" : "applies of saved plans");
  if (
    ran.journal === null &&
    disturbance.end?.as === "kill" &&
    disturbance.end.isJournalLost &&
    ran.killed !== null
  )
    count(notes, "a journal that is lost");
  if (ran.report?.converged === true && editsIn([ran]).length === 0) await nothingLeft(world, notes, saved);
  return ran;
}

function check(world: World, ran: Ran, saved: SavedPlan | null, notes: Notes, what: string): void {
  noteRun(notes, what, ran);
  const { token, key } = world.emulator;
  const circumstances = {
    saved: saved?.document ?? null,
    refused: saved?.refused ?? new Set<string>(),
    isGuarded: !what.startsWith("rollback"),
    credentials: [token, key],
  };
  for (const [sentence, invariant] of Object.entries(invariants))
    breach(notes, sentence, invariant(ran, circumstances));
}

async function nothingLeft(world: World, notes: Notes, saved: SavedPlan | null): Promise<void> {
  const { document } = await run(world, { as: "plan" }, UNDISTURBED);
  const calls = (document?.calls ?? []).map((call) => `${call.method} ${call.path}`);
  const left = document === null ? ["there is no plan"] : calls;
  breach(
    notes,
    `After ${saved === null ? "an apply" : "the apply of a saved plan"} that is done, a plan has no changes`,
    left,
  );
}

/** Checks that after each write of a chapter the zone stops what it stops both before the first and after the last. */
function judgeProtection(
  story: Story,
  runs: readonly Ran[],
  others: readonly Edit[],
  before: Seed,
  notes: Notes,
): void {
  // A change of protection by others has nothing to do with the order of the calls.
  if (others.length > 0 || editsIn(runs).length > 0) return;
  const states = [before, ...runs.flatMap((ran) => ran.states.slice(1).map(({ state }) => state))];
  if (states.length < 3) return;
  for (const { name } of story.zones) {
    count(notes, "protection judged on the way");
    const said = runs
      .flatMap(({ document }) => document?.diagnostics ?? [])
      .filter(({ zone }) => zone === name);
    const warned = new Set(said.map(({ code }) => code));
    if (warned.has("unsafe_order")) count(notes, "a gap in protection that the plan named");
    breach(
      notes,
      "No prefix of the writes protects less than both ends",
      protectionLost(states, name, warned),
    );
  }
}

/** Rolls an apply back, first disturbed and then not. Then the state is as before, unless others changed it. */
async function takeBack(
  world: World,
  story: Story,
  { journal, before }: Undoable,
  tries: readonly Disturbance[],
  notes: Notes,
): Promise<void> {
  if (!existsSync(path.join(world.cwd, journal))) return;
  writeFormerFile(world, story, before);
  const runs: Ran[] = [];
  const start = world.emulator.state();
  for (const disturbance of [...tries, UNDISTURBED]) {
    if (!existsSync(path.join(world.cwd, journal))) return;
    const ran = await run(world, { as: "rollback", journal }, disturbance);
    check(world, ran, null, notes, "rollback");
    count(notes, ran.killed === null ? "rollbacks" : "rollbacks killed");
    runs.push(ran);
    if (ran.report?.converged === true) break;
  }
  const last = runs.at(-1);
  if (editsIn(runs).length > 0) return;
  // A declared destination has the same reference before and after, so a finished rollback cannot be recognized by it.
  const zones = last?.report?.zones ?? [];
  const isUnsure = zones.some(({ problems }) => problems.some(({ code }) => code === "not_undone"));
  if (isUnsure && runs.length > 1) count(notes, "rollbacks that cannot tell whether a secret is back");
  else if (last?.report?.converged !== true) {
    const problems = (last?.report?.zones ?? []).flatMap((zone) => zone.problems.map(({ detail }) => detail));
    breach(notes, "An undisturbed rollback is done", [problems.join(" ") || "it is not carried out"]);
    return;
  }
  const [now, then] = [essenceOf(world.emulator.state()), essenceOf(before)];
  breach(notes, "A rollback leads back to where the apply began", differences(now, then));
  judgeProtection(story, runs, [], start, notes);
  const again = await run(world, { as: "rollback", journal }, UNDISTURBED);
  const left = (again.document?.calls ?? []).map((call) => `${call.method} ${call.path}`);
  breach(notes, "A second rollback has nothing to do", again.document === null ? ["there is no plan"] : left);
}

/** The declared destinations before the apply, which a journal does not contain. */
function writeFormerFile({ cwd }: World, { dialect }: Story, before: Seed): void {
  const zones = Object.entries(before.zones).map(([name, { logpush_jobs: jobs = [] }]) => {
    const declared = (jobs ?? []).map((job) => ({
      name: job.name,
      dataset: job.dataset,
      destination_conf: job.destination_conf,
    }));
    return [name, dialect === "interface" ? {} : { logpush_jobs: declared }];
  });
  writeFileSync(
    path.join(cwd, "zoneward.yaml"),
    JSON.stringify({ version: 1, zones: Object.fromEntries(zones) }),
  );
}

/** @param same the common part of two states that differ only in irrelevant parts */
function differences(
  now: readonly string[],
  then: readonly string[],
  same: (part: string) => string = (part) => part,
): readonly string[] {
  const [known, found] = [new Set(then.map(same)), new Set(now.map(same))];
  return [
    ...now.filter((each) => !known.has(same(each))).map((each) => `now ${each}`),
    ...then.filter((each) => !found.has(same(each))).map((each) => `not ${each}`),
  ];
}

/** The same story without faults and kills, but with the changes of others, has the same end. */
async function compare(story: Story, ends: readonly ChapterEnd[], notes: Notes): Promise<void> {
  const world = await worldOf(story);
  try {
    for (const [index, end] of ends.entries()) {
      const chapter = story.chapters[index];
      if (chapter === undefined || !ends.slice(0, index + 1).every((each) => each.isUntouched)) return;
      for (const edit of end.edits) world.emulator.edit(edit);
      if (end.hasForgotten) return;
      if (end.isTakenBack) continue;
      writeFiles(world, story, chapter, chapter.body);
      const { report, code } = await run(world, { as: "apply", saved: null }, UNDISTURBED);
      if ((report?.converged === true) !== end.isDone)
        breach(notes, "It is done where it is done without disturbances", [
          `chapter ${index + 1}: exit code ${code} without`,
        ]);
      if (report?.converged !== true || !end.isDone) return;
      const isOrdered = ends.slice(0, index + 1).every(({ edits }) => edits.length === 0);
      const same = isOrdered ? (part: string) => part : inNoOrder;
      count(notes, "ends compared");
      const left = differences(essenceOf(end.state), essenceOf(world.emulator.state()), same);
      breach(notes, "It ends as without disturbances", left);
    }
  } finally {
    await world.close();
  }
}

/** Whether a rule of others comes before or after ours depends on which was created first. */
function inNoOrder(part: string): string {
  return part.includes(" rulesets ") ? [...part].sort().join("") : part;
}
