import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { isMap, isScalar, isSeq, parse, parseDocument, visit } from "yaml";
import { adopt, createEmulator, drift, type Seed } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { fc, isDeep, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";

const ids = { "a.example.com": "a".repeat(32), "b.example.com": "b".repeat(32) };
const both = fc.record({ "a.example.com": zone, "b.example.com": zone });
type Config = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Style = "block" | "flow" | "mixed";

const story = fc.record({
  live: fc.record({ "a.example.com": liveZone, "b.example.com": liveZone }),
  config: both,
  /** The files before; null: there is no base. */
  base: fc.option(fc.tuple(both, fc.subarray(["a.example.com", "b.example.com"] as const))),
  style: fc.constantFrom<Style>("block", "flow", "mixed"),
  eol: fc.constantFrom("\n", "\r\n"),
});

test("for random files, bases and live zones, adopt leaves no unreported drift and keeps all comments", async () => {
  const cwd = await folderWith({});
  const file = path.join(cwd, "zoneward.yaml");
  const before = await folderWith({});
  // Random zones that adopt can adopt whole are rare, so only deep runs look for them.
  const whole = isDeep ? { clean: runs(6), cleanWithBase: runs(6) } : {};
  const enough = { adopted: runs(6), conflicts: runs(6), ...whole };
  await untilMet(
    enough,
    (met) =>
      fc.asyncProperty(story, async ({ live, config: given, base, style, eol }) => {
        const config: Config = given;
        const emulator = await createEmulator({ seed: seedOf(live) });
        try {
          const text = styled(config, style).replaceAll("\n", eol);
          await writeFile(file, text);
          // Many bases share zones with the files, because random zones have little in common.
          const former: Config | null =
            base === null
              ? null
              : { ...base[0], ...Object.fromEntries(base[1].map((name) => [name, given[name]])) };
          if (former !== null) await writeFile(path.join(before, "zoneward.yaml"), styled(former, "block"));
          const options = {
            cwd,
            environment: reaching(emulator),
            rateLimit: "off",
            ...(former === null ? {} : { base: before }),
          };
          const first = await drift(options);
          fc.pre(first.document?.zones.every(({ status }) => status === "planned") === true);
          fc.pre(first.problems.every(({ code }) => code !== "base_not_read"));
          const { adoption, problems } = await adopt(options);
          expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
          const { adopted = [], left = [], secrets = [] } = adoption ?? {};
          // An object renamed both in the files and outside cannot always be matched.
          const isKnown = (why: string) =>
            KNOWN.test(why) || (base !== null && /would still differ/.test(why));
          // In flow style, adopt cannot tell which entry a comment belongs to, so it moves nothing.
          const isInBrackets = ({ field, why }: { field: string | null; why: string }) =>
            style !== "block" && field === "position" && /^Edit it by hand: its list/.test(why);
          // A file can only let go of a field that a rule may lack.
          const isLacking = ({ field, why }: { field: string | null; why: string }) =>
            OPTIONAL.includes(String(field)) && why === "No file can express the live value.";
          // A field in conflict stays, and may not fit to another one's live value.
          const isBesideConflict = ({ zone, section, key, why }: (typeof left)[number]) =>
            /^The edited file would be invalid/.test(why) &&
            left.some(
              (each) =>
                each.zone === zone &&
                each.section === section &&
                each.key === key &&
                /since the base/.test(each.why),
            );
          // While a declared rule stays out of its place, not every undeclared rule around it can be declared.
          const isAroundPlace = ({ zone, section, why }: (typeof left)[number]) =>
            /would still differ/.test(why) &&
            left.some((each) => each.zone === zone && each.section === section && each.field === "position");
          const odd = left.filter(
            (each) =>
              !isKnown(each.why) &&
              !isInBrackets(each) &&
              !isLacking(each) &&
              !isBesideConflict(each) &&
              !isAroundPlace(each),
          );
          expect(odd, text).toEqual([]);
          const set = Object.fromEntries(secrets.map((name) => [name, "https://a.example/logs"]));
          const after = await drift({ ...options, environment: { ...options.environment, ...set } });
          const edited = await readFile(file, "utf8");
          // If the files rename an object, a plan without the rename uses the old name.
          const namesOf = (name: string, section: string, key: string) => {
            const entry = entriesIn(config[name]?.[section]).find((each) => nameOf(each) === key);
            return [key, entry?.renamed_from];
          };
          // A job's key includes its dataset only while several declared jobs share its name.
          const calledBoth = (key: string) => [key, key.replace(/ \(\w+\)$/, "")];
          const isLeft = (name: string, key: string) =>
            left.some(
              (each) =>
                each.zone === name &&
                calledBoth(each.key)
                  .flatMap((own) => namesOf(name, each.section, own))
                  .includes(key),
            );
          const still = (after.document?.changes ?? []).filter(({ key, zone: name }) => !isLeft(name, key));
          // Destinations of jobs from outside differ from the fixed value given above.
          const unknown = still.filter(({ fields }) =>
            fields.some(({ path: at }) => at !== "destination_conf"),
          );
          expect({ problems: after.document === null ? after.problems : [], unknown }, edited).toEqual({
            problems: [],
            unknown: [],
          });
          expect(commentsOf(parse(edited).zones, config).filter((each) => !edited.includes(each))).toEqual(
            [],
          );
          expect(edited.replaceAll("\r\n", "").includes("\n")).toBe(eol === "\n");
          if (adopted.length === 0) expect(edited).toBe(text);
          expect(emulator.writes()).toEqual([]);
          met("adopted", adopted.length);
          met("conflicts", left.filter(({ why }) => /since the base/.test(why)).length);
          if (left.length === 0 && adopted.length > 0) met(base === null ? "clean" : "cleanWithBase");
        } finally {
          await emulator.close();
        }
      }),
    runs(60),
  );
});

/** The reasons for leaving changes that can occur in such zones. */
const KNOWN =
  /^Sensitive value\.$|no order of entries can express|live objects called|stands twice in this list|since the base|^It has no description|^No file can express the live value "custom: [^"]+"\.$/;

/** Fields that a live rule may lack beside the declared ones. */
const OPTIONAL = ["response", "mitigation_timeout", "counting_expression", "requests_to_origin"];

/** The file as YAML, with a comment at every zone, section and entry. */
function styled(config: Config, style: Style): string {
  const doc = parseDocument(JSON.stringify({ version: 1, zones: config }));
  visit(doc, {
    Collection(_, node, at) {
      node.flow = style === "flow" || (style === "mixed" && at.length > 6);
    },
    Scalar(_, node) {
      delete node.type;
    },
  });
  for (const [name, sections] of Object.entries(config))
    for (const [section, value] of Object.entries(sections)) {
      const map = doc.getIn(["zones", name]);
      const pair = isMap(map)
        ? map.items.find(({ key }) => isScalar(key) && key.value === section)
        : undefined;
      if (isScalar(pair?.key)) pair.key.commentBefore = ` ${commentOn(name, section)}`;
      for (const [index, entry] of entriesIn(value).entries()) {
        const list = doc.getIn(["zones", name, section]);
        const item = isSeq(list) ? list.items[index] : null;
        if (isMap(item)) item.commentBefore = ` ${commentOn(name, section, nameOf(entry))}`;
      }
    }
  return `# the head\n${doc.toString({ lineWidth: 0 })}# the foot\n`;
}

function commentOn(...place: readonly string[]): string {
  return `this is ${place.join(" / ")}.`;
}

type Entry = Readonly<Record<string, unknown>>;

function entriesIn(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "object") : [];
}

function nameOf({ description, name, ruleset }: Entry): string {
  return String(description ?? name ?? ruleset);
}

/** The comments of everything that is still in the file. */
function commentsOf(after: Config, before: Config): readonly string[] {
  const own = Object.entries(before).flatMap(([zoneName, sections]) =>
    Object.entries(sections).flatMap(([section, value]) => {
      if (after[zoneName]?.[section] === undefined) return [];
      const now = entriesIn(after[zoneName][section]);
      const kept = entriesIn(value).filter((entry) => now.some((each) => nameOf(each) === nameOf(entry)));
      return [
        commentOn(zoneName, section),
        ...kept.map((entry) => commentOn(zoneName, section, nameOf(entry))),
      ];
    }),
  );
  return ["# the head", "# the foot", ...own];
}

function seedOf(live: Readonly<Record<string, object>>): Seed {
  return {
    zones: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, { id, ...live[name] }])),
  };
}
