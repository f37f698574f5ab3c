import { groupBy } from "../../model/group-by.js";
import type { PlanDocument, PlannedCall, UnmanagedObject } from "../../plan/generated/plan-document.js";
import { foldCalls, secretsOfEach } from "../fold.js";
import { bare } from "../palette.js";
import { count, plain } from "../safe-text.js";
import { isAlarming, listingLine } from "../undeclared.js";
import { undeclaredPhrase } from "../verdict.js";
import { linkIn, type PlanView } from "../view.js";
import { whoText } from "../who-text.js";
import { linkText } from "./changes.js";
import { code, codeInHtml, details, fence, prose } from "./escape.js";
import { type Block, RANKS } from "./fit-to-size.js";

/** Undeclared objects by zone: those that may weaken protection, the others, and acknowledged ones. */
export function unmanagedBlocks({ unmanaged }: PlanDocument): {
  readonly alarming: readonly Block[];
  readonly others: readonly Block[];
} {
  const [acknowledged, open] = parted(unmanaged, ({ known }) => known === "listed");
  const [alarming, others] = parted(open, isAlarming);
  const blocks = (
    objects: readonly UnmanagedObject[],
    block: (zone: string, inZone: readonly UnmanagedObject[]) => Block,
  ) => [...groupBy(objects, ({ zone }) => zone)].map(([zone, inZone]) => block(zone, inZone));
  return {
    alarming: blocks(alarming, undeclaredBlock("#### Undeclared, may weaken protection")),
    others: [
      ...blocks(others, undeclaredBlock("#### Undeclared (left alone)")),
      ...blocks(acknowledged, acknowledgedBlock),
    ],
  };
}

function parted<Each>(
  all: readonly Each[],
  isMeant: (each: Each) => boolean,
): readonly [readonly Each[], readonly Each[]] {
  return [all.filter(isMeant), all.filter((each) => !isMeant(each))];
}

const undeclaredBlock =
  (heading: string) =>
  (zone: string, objects: readonly UnmanagedObject[]): Block => {
    const items = objects.map((object) => {
      const { does, effect, known } = object;
      const lead = known === "newly_listed" ? "newly acknowledged, " : "";
      const who = whoText(object.who);
      const by = who === null ? "" : `; **${prose(who)}**`;
      return `- ${lead}${effect}: ${nameOf(object)} ${prose(does, DOES_CHARS)}${linkText(linkIn(object))}${by}`;
    });
    const line = listingLine(objects.filter(({ known }) => known === "not_listed"));
    const advice = line === null ? [] : ["", `To acknowledge, add to the zone: ${code(line)}`];
    const text = [...items, ...advice].join("\n");
    const number = prose(bare(undeclaredPhrase(objects)) || count(objects.length, "object"));
    return {
      heading,
      forms: [
        { text: `${code(zone, NAME_CHARS)}: ${number}`, rank: RANKS.undeclared },
        {
          text:
            objects.length > MAX_OPEN
              ? details(`${codeInHtml(zone, NAME_CHARS)}: ${count(objects.length, "object")}`, text)
              : `${code(zone, NAME_CHARS)}: ${number}\n\n${text}`,
          rank: RANKS.undeclaredInFull,
        },
      ],
      counted: { noun: "object", n: objects.length },
    };
  };

const MAX_OPEN = 10;

/** Acknowledged objects are named too, so that a reviewer notices that they stay. */
function acknowledgedBlock(zone: string, objects: readonly UnmanagedObject[]): Block {
  const items = objects.map((each) => `- ${nameOf(each)}`);
  const number = count(objects.length, "object");
  return {
    heading: "#### Acknowledged (left alone)",
    forms: [
      { text: `${number} in ${code(zone, NAME_CHARS)}`, rank: RANKS.unmanaged },
      {
        text: details(`${number} in ${codeInHtml(zone, NAME_CHARS)}`, items.join("\n")),
        rank: RANKS.unmanagedInFull,
      },
    ],
    counted: { noun: "object", n: objects.length },
  };
}

function nameOf({ kind, key, id, list }: UnmanagedObject): string {
  return `${code(list === "rules" ? "rule" : kind, NAME_CHARS)} ${key === "" || key === id ? code(id ?? "?", NAME_CHARS) : code(key)}`;
}

const NAME_CHARS = 120;
const DOES_CHARS = 500;

/** The calls in order, once for all zones with the same calls. */
export function callBlocks({ zones }: PlanView): readonly Block[] {
  return foldCalls(zones).map((zonesWithSameCalls) => {
    const [{ zone, calls }, ...otherZones] = zonesWithSameCalls;
    const name = codeInHtml(zone.zone, ZONE_CHARS);
    const summary =
      otherZones.length === 0
        ? `${count(calls.length, "call")} in ${name}`
        : `${count(calls.length, "call")} in each of ${count(zonesWithSameCalls.length, "zone")}, e.g. ${name}`;
    const secrets = secretsOfEach(zonesWithSameCalls).map(
      ({ zone: sender, secrets }) => `${code(sender.zone.zone, ZONE_CHARS)}: ${code(secrets)}`,
    );
    const sending = secrets.length === 0 ? [] : [`Each sends its own secrets. ${secrets.join(", ")}`];
    return {
      heading: "#### Calls",
      forms: [
        { text: details(summary, calls.map(callText).join("\n\n")), rank: RANKS.call },
        {
          text: details(summary, [...calls.map(wholeText), ...sending].join("\n\n")),
          rank: RANKS.callInFull,
        },
      ],
      counted: { noun: "call", n: zonesWithSameCalls.length * calls.length },
    };
  });
}

const ZONE_CHARS = 120;

function callText({ step, method, path, after }: PlannedCall): string {
  const needs = after.length === 0 ? "" : ` after ${after.join(", ")}`;
  return `**Step ${step}**${needs}: ${code(`${method} ${path}`)}`;
}

function wholeText(call: PlannedCall): string {
  if (call.body === null) return callText(call);
  const lines = JSON.stringify(call.body, null, 2).split("\n");
  return `${callText(call)}\n\n${fence(
    lines.map((line) => plain(line)),
    "json",
  )}`;
}
