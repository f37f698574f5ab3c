import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Chromium, findChromium, startChromium } from "../support/chromium.js";
import { type Page, type Site, startSite } from "../support/chromium-site.js";
import { htmlOf, type Visit, WATCHING } from "../support/chromium-visit.js";
import { type Answer, answersOf, HAPPENINGS, isChange, isUnmodelled } from "./chromium-answers.js";
import { type Case, randomCases } from "./chromium-cases.js";
import { isOf, type Showing, type Shown, showingsOf, urlsOf } from "./chromium-truth.js";

const CASES = 260;
const SEED = 1;
const TABS = 3;

const file = findChromium();
if (file === null) {
  console.warn("SKIPPED: the comparison of impact with a browser; missing: chromium in PATH");
}

describe.skipIf(file === null)("Chromium's blocks and reports before and after policy changes", () => {
  const cases = randomCases(CASES, SEED);
  const shown = new Map<Case, readonly Shown[]>();
  const answers: Answer[] = [];
  const chosen = (is: Answer["is"]) => answers.filter((each) => each.is === is);
  let site: Site;
  let chromium: Chromium;

  beforeAll(async () => {
    const showings = cases.flatMap(showingsOf);
    // A page that is the same before and after is opened once.
    const distinct = [...new Map(showings.map((each) => [identity(each), each])).values()];
    site = await startSite((url) => pageOf(distinct[Number(url.searchParams.get("visit") ?? -1)]));
    chromium = await startChromium(file ?? "", site.port);
    const visits = await visitAll(chromium, distinct);
    for (const each of cases)
      shown.set(
        each,
        showingsOf(each).map((showing) => ({
          ...showing,
          visit: visits.get(identity(showing)) ?? absurd(),
        })),
      );
    answers.push(...cases.flatMap((each) => answersOf(each, shown.get(each) ?? [])));
  }, 300_000);

  afterAll(async () => {
    await chromium?.close();
    site?.close();
  });

  test("explain every failed load, and every blocked load failed", () => {
    const ends = [...shown.values()].flat().flatMap(({ page, enforced, visit }) =>
      visit.ends.map(({ url, isLoaded }) => ({
        ...{ page, enforced, url, isLoaded },
        isBlocked: visit.violations.some((one) => one.disposition === "enforce" && isOf(one.blockedURI, url)),
      })),
    );
    const loads = [...shown.values()].flat().flatMap((each) => urlsOf(each.loads));
    expect(ends.filter(({ isLoaded, isBlocked }) => isLoaded === isBlocked)).toEqual([]);
    expect(ends.length).toBeGreaterThan(loads.length * 0.8);
  });

  test("agree with impact, for the zone and for each change", () => {
    const changes = cases.flatMap(({ policies }) => policies.filter(isChange)).length;
    const counts = `${chosen("right").length} right, ${chosen("undecided").length} undecided, ${chosen("wrong").length} wrong`;
    console.log(`${chromium.version}, ${changes} policy changes: of ${answers.length} answers ${counts}`);
    expect(chosen("wrong").map(described)).toEqual([]);
    expect(changes).toBeGreaterThanOrEqual(200);
    for (const happening of HAPPENINGS) {
      expect(chosen("right").filter((each) => each.happening === happening).length).toBeGreaterThan(50);
    }
  });

  test("are undecided only if a list of detections cannot decide", () => {
    expect(
      chosen("undecided")
        .filter(({ isOpen }) => !isOpen)
        .map(described),
    ).toEqual([]);
    const isModelled = ({ of }: Answer) =>
      !of.policies.some(({ before, after }) => [before ?? [], after ?? []].flat().some(isUnmodelled));
    const undecided = chosen("undecided").filter(isModelled);
    expect(undecided.length).toBeLessThan(answers.filter(isModelled).length / 4);
  });
});

function pageOf(showing: Showing | undefined): Page | null {
  return showing === undefined ? null : { ...showing, html: htmlOf(showing.loads) };
}

function identity({ page, loads, enforced, reportOnly }: Showing): string {
  return JSON.stringify([page, loads, enforced, reportOnly]);
}

/** Opens the pages in some tabs and returns the browser's reports of each. */
async function visitAll(
  chromium: Chromium,
  showings: readonly Showing[],
): Promise<ReadonlyMap<string, Visit>> {
  const visits = new Map<string, Visit>();
  const left = showings.entries();
  const work = async () => {
    const tab = await chromium.openTab(WATCHING);
    for (const [index, each] of left) {
      visits.set(identity(each), JSON.parse(await tab.visit(`${each.page}?visit=${index}`)));
    }
  };
  await Promise.all(Array.from({ length: TABS }, work));
  return visits;
}

function absurd(): never {
  throw new Error("a page was not opened");
}

/** One line for each policy of the case. */
function described({ happening, url, change, of }: Answer): readonly string[] {
  const seen = [...of.scripts, ...of.connections].find((each) => each.url === url);
  const policies = of.policies.map(({ before, after }) => {
    const [was, is] = [before, after].map(
      (each) => each && `${each.enabled ? each.action : "off"} on ${each.where.expression}: ${each.value}`,
    );
    return was === is ? `stays ${is}` : `was ${was}, is ${is}`;
  });
  const where = `${url} on ${seen?.pages.join(" ")} (told: ${seen?.told}), visitor in ${of.visitor.country}`;
  return [`${happening} by ${change === null ? "the zone" : `change ${change}`}: ${where}`, ...policies];
}
