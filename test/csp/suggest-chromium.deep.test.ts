import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allows } from "../../src/csp/match/allows.js";
import { type SeenLoad, type Suggestion, suggestSources } from "../../src/csp/suggest.js";
import { type Case, randomCases } from "../impact/chromium-cases.js";
import { isOf } from "../impact/chromium-truth.js";
import { type Chromium, findChromium, startChromium } from "../support/chromium.js";
import { type Site, startSite } from "../support/chromium-site.js";
import { htmlOf, type Visit, WATCHING } from "../support/chromium-visit.js";

const SUGGESTIONS = 220;
const SEED = 7;
const GRANULARITIES = ["host", "path", { hosts: 2 }] as const;

const file = findChromium();
if (file === null) console.warn("SKIPPED: suggested values in Chromium, because PATH has no chromium");

type Load = SeenLoad<string>;

/** A policy's value, the loads of its pages, and the suggestion made from both. */
interface Trial {
  readonly of: Case;
  readonly value: string;
  readonly loads: readonly Load[];
  readonly malicious: readonly Load[];
  readonly found: Suggestion<string>;
}

function trialOf(of: Case, index: number): Trial | null {
  const value = of.policies.flatMap(({ before, after }) => (after ?? before)?.value ?? [])[0];
  if (value === undefined) return null;
  const all = [
    ...of.scripts.map((seen) => ({ kind: "script", ...seen }) as const),
    ...of.connections.map((seen) => ({ kind: "connection", ...seen }) as const),
  ].map(({ kind, url, pages }): Load => ({ kind, url, pages, of: url }));
  const isMalicious = (_: Load, place: number) => (place + index) % 4 === 0;
  const [loads, malicious] = [all.filter((each, at) => !isMalicious(each, at)), all.filter(isMalicious)];
  const by = GRANULARITIES[index % GRANULARITIES.length] ?? "host";
  const found = suggestSources(value, loads, { by, never: malicious });
  return found.added.length === 0 ? null : { of, value, loads, malicious, found };
}

interface Opened {
  readonly trial: Trial;
  readonly page: string;
  readonly visit: Visit;
}

describe.skipIf(file === null)("Suggested values in Chromium", () => {
  const trials = randomCases(3 * SUGGESTIONS, SEED)
    .flatMap((each, index) => trialOf(each, index) ?? [])
    .slice(0, SUGGESTIONS);
  const views = trials.flatMap((trial) =>
    [...new Set([...trial.loads, ...trial.malicious].flatMap(({ pages }) => pages))].map((page) => ({
      trial,
      page,
    })),
  );
  const opened: Opened[] = [];
  let site: Site;
  let chromium: Chromium;

  beforeAll(async () => {
    site = await startSite((url) => {
      const view = views[Number(url.searchParams.get("visit") ?? -1)];
      if (view === undefined) return null;
      const isHere = ({ pages }: { readonly pages: readonly string[] }) => pages.includes(view.page);
      const { scripts, connections } = view.trial.of;
      const loads = {
        scripts: scripts.filter(isHere).map(({ url: src }) => src),
        connections: connections.filter(isHere),
      };
      return { page: view.page, enforced: [view.trial.found.value], reportOnly: [], html: htmlOf(loads) };
    });
    chromium = await startChromium(file ?? "", site.port);
    const tab = await chromium.openTab(WATCHING);
    for (const [index, { trial, page }] of views.entries())
      opened.push({ trial, page, visit: JSON.parse(await tab.visit(`${page}?visit=${index}`)) });
  }, 300_000);

  afterAll(async () => {
    await chromium?.close();
    site?.close();
  });

  const isBlocked = ({ visit }: Opened, url: string) =>
    visit.violations.some((one) => one.disposition === "enforce" && isOf(one.blockedURI, url));

  test(`are at least 200`, () => {
    expect(trials.length).toBeGreaterThanOrEqual(200);
  });

  test("allow every load that the suggestion does not refuse", () => {
    const accepted = opened.flatMap((view) => {
      const refused = new Set(view.trial.found.refused.map(({ of }) => of));
      return view.trial.loads
        .filter(({ url, pages }) => pages.includes(view.page) && !refused.has(url))
        .map(({ url }) => ({
          url,
          page: view.page,
          csp: view.trial.found.value,
          isBlocked: isBlocked(view, url),
        }));
    });
    expect(accepted.length).toBeGreaterThan(300);
    expect(accepted.filter((each) => each.isBlocked)).toEqual([]);
  });

  test("allow no malicious load that was refused before", () => {
    const barred = opened.flatMap((view) =>
      view.trial.malicious
        .filter(
          ({ kind, url, pages }) =>
            pages.includes(view.page) &&
            allows({ kind, url, page: view.page, csp: view.trial.value }).allowed === false,
        )
        .map(({ url }) => ({
          url,
          page: view.page,
          csp: view.trial.found.value,
          isBlocked: isBlocked(view, url),
        })),
    );
    expect(barred.length).toBeGreaterThan(50);
    expect(barred.filter((each) => !each.isBlocked)).toEqual([]);
  });
});
