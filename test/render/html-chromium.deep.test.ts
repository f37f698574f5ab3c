import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planView } from "../../src/run/plan-formats.js";
import { type Chromium, findChromium, type Screen, startChromium } from "../support/chromium.js";
import { HOSTILE } from "../support/hostile.js";
import { hostilePlan } from "../support/hostile-plan.js";

const GOLDEN: PlanDocument = JSON.parse(readFileSync(new URL("golden/plan.json", import.meta.url), "utf8"));

const PAGES = {
  plan: planHtml(planView(GOLDEN, "plan")),
  drift: planHtml(planView(GOLDEN, "drift")),
  "plan with HTML in each text": planHtml(planView(hostilePlan(GOLDEN, HOSTILE.HTML ?? ""), "plan")),
  "plan with long words": planHtml(planView(hostilePlan(GOLDEN, "w".repeat(3_000)), "plan")),
};

const CASES = Object.keys(PAGES).flatMap((page) =>
  [400, 1_400].flatMap((widthPx) =>
    (["light", "dark"] as const).map((scheme) => [page, scheme, widthPx] as const),
  ),
);

/** An empty folder, because the pages are files. */
const NO_PORT = 9;

interface Seen {
  readonly violations: readonly string[];
  readonly innerWidth: number;
  readonly scrollWidth: number;
  readonly background: string;
  /** Elements that need horizontal scrolling, or are so narrow that they have one letter a line. */
  readonly cut: readonly string[];
  /** Texts with a low contrast. */
  readonly pale: readonly string[];
}

/** Runs in the page. Opens everything first, so that folded content is checked too. */
const LOOKING = `
  const violations = [];
  document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
  addEventListener("load", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
    const { innerWidth } = window;
    const { scrollWidth } = document.documentElement;
    const background = getComputedStyle(document.body).backgroundColor;
    told(JSON.stringify({ violations, innerWidth, scrollWidth, background, cut: cutBoxes(), pale: paleTexts() }));
  });

  function cutBoxes() {
    return [...document.body.querySelectorAll("*")]
      .filter((each) => !each.classList.contains("vh") && each.clientWidth > 0)
      .filter((each) => isScrolled(each) || (each.tagName === "CAPTION" && each.clientWidth < 100))
      .map((each) => each.outerHTML.slice(0, 200));
  }
  function isScrolled(each) {
    return getComputedStyle(each).overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1;
  }
  function paleTexts() {
    return [...document.body.querySelectorAll("*")].flatMap((element) => {
      const text = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      if (text.every(({ data }) => data.trim() === "")) return [];
      const contrast = contrastOf(getComputedStyle(element).color, ground(element));
      return contrast < 4.5 ? [contrast.toFixed(2) + " " + element.outerHTML.slice(0, 200)] : [];
    });
  }
  function ground(element) {
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === "rgba(0, 0, 0, 0)" ? ground(element.parentElement) : backgroundColor;
  }
  /** The contrast as defined by WCAG 2. */
  function contrastOf(...colors) {
    const [dark, bright] = colors.map(luminance).sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  }
  function luminance(color) {
    const [r, g, b] = color.match(/[0-9.]+/g).map((each) => {
      const part = Number(each) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
`;

const file = findChromium();
if (file === null) console.warn("SKIPPED: how a browser shows the pages; there is no chromium in PATH");

describe.skipIf(file === null)("In Chromium", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "zoneward-html-"));
  let chromium: Chromium;

  beforeAll(async () => {
    for (const [name, text] of Object.entries(PAGES)) writeFileSync(path.join(folder, `${name}.html`), text);
    chromium = await startChromium(file ?? "", NO_PORT);
  });

  afterAll(async () => {
    await chromium?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(CASES)(
    "a %s (%s, %d pixels wide) is fully visible and loads nothing",
    async (page, scheme, widthPx) => {
      const { url, seen, complaints, requests } = await look(page, { widthPx, heightPx: 900, scheme });
      expect(complaints).toEqual([]);
      expect(seen.violations).toEqual([]);
      expect(requests).toEqual([url]);
      expect(seen.innerWidth).toBe(widthPx);
      expect(seen.scrollWidth).toBeLessThanOrEqual(widthPx);
      expect(seen.background).toBe(scheme === "dark" ? "rgb(15, 19, 24)" : "rgb(246, 247, 249)");
      expect(seen.cut).toEqual([]);
      expect(seen.pale).toEqual([]);
    },
  );

  async function look(page: string, screen: Screen) {
    const tab = await chromium.openTab(LOOKING, screen);
    const url = pathToFileURL(path.join(folder, `${page}.html`)).href;
    const seen: Seen = JSON.parse(await tab.visit(url));
    return { url, seen, complaints: tab.complaints, requests: tab.requests };
  }
});
