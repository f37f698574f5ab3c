import { describe, expect, test } from "vitest";
import { type PlanDocument, render } from "../../src/index.js";
import { code, codeInHtml, fence, message, prose } from "../../src/render/markdown/escape.js";
import { planMarkdown, problemsMarkdown } from "../../src/render/plan-markdown.js";
import { MAX_CHARS, plain, visible } from "../../src/render/safe-text.js";
import { planView } from "../../src/run/plan-formats.js";
import { HOSTILE, harmIn } from "../support/hostile.js";
import { hostilePlan } from "../support/hostile-plan.js";
import { type Rendered, rendered } from "../support/markdown.js";
import { fc, isDeep, runs, some } from "../support/random.js";
import golden from "./golden/plan.json" with { type: "json" };

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types
const ALL = 10_000_000;

/** Texts with a meaning in Markdown or on GitHub. */
const SIGNS: Readonly<Record<string, string>> = {
  "a mention": "@team and @org/team",
  issues: "#1 GH-12 org/repo#3 ABC-4",
  "a commit": "0123456789abcdef0123456789abcdef01234567 deadbee1 org/repo@deadbee1",
  addresses: "https://evil.example/ www.evil.example evil@evil.example mailto:a@b.example ftp://e.example",
  "links and images": "[a](https://evil.example/) ![b](x) [c][d] [e]: https://evil.example/ [^1]",
  autolinks: "<https://evil.example/> <a@evil.example>",
  tags: "<details><summary>x</summary></details><!-- --><script>1</script><img src=x>",
  "ends of tags": "</details></summary></code></pre>",
  entities: "&lt;b&gt; &#64;team &commat;team",
  fences: "``` ~~~ ````` `",
  "ticks at the ends": "`` x ``",
  "one tick": "`",
  "a table": "| a | b | \\| --- | :-: |",
  emphasis: "**a** __b__ _c_ ~~d~~ *e",
  heading: "# a",
  "a list": "- a",
  "a number": "1. a",
  "a task": "[ ] a [x] b",
  "a quotation": "> [!NOTE] a",
  "a rule": "---",
  "an underlined heading": "===",
  "an emoji": ":tada: :+1:",
  mathematics: "$x$ $`x`$ $$y$$",
  "a break": "a  \\",
  "spaces inside": "a     b",
  "spaces around": "    a    ",
  "words before an expression":
    'that match "`a` @team that match <img src=x>; [b](https://evil.example/) that match (**c** that match ',
  backslashes: "\\`\\*\\\\",
};

/** A sample of the long texts, because they are slow in every field at once. */
const LONG: readonly string[] = ["a long word", "long lines"];

const texts = Object.entries({ ...HOSTILE, ...SIGNS }).filter(
  ([name, text]) => text.length < 1_000 || (isDeep && LONG.includes(name)),
);

/** Markup that the parser, or GitHub in text outside code, would interpret. */
function harmfulWords({ words }: Rendered): readonly string[] {
  return (
    words.match(/@|#\d|https?:|www\.|\bGH-\d|[A-Z]-\d|\b(?=\w*\d)[0-9a-f]{7,}\b|[<>`*_~$\\|[\]](?!!)/gi) ?? []
  );
}

describe("a text from outside", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."`` \\<>&|*_[]()!#@:/.-+~$1aGH\n") }),
    fc.constantFrom(...texts.map(([, text]) => text)),
    // Sentences bind an expression after these words.
    fc
      .array(
        fc.constantFrom(
          "that match ",
          "`",
          "``",
          '"',
          "\\",
          "(",
          ")",
          "; ",
          " except ",
          "<b>",
          "@team",
          " ",
          "a",
        ),
      )
      .map((parts) => parts.join("")),
  );

  test("is shown literally as code", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const shown = plain(text);
        for (const markdown of [code(text), `- **x** ${code(text)}: y`, `> ${code(text)}`]) {
          const { codes, elements } = rendered(markdown);
          expect(codes).toEqual([shown.trim() === "" ? `"${shown}"` : shown]);
          expect(Object.keys(elements).filter((name) => !ORDINARY.includes(name))).toEqual([]);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test("is shown literally in a summary", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const { codes, elements, words } = rendered(
          `<details><summary>a ${codeInHtml(text)}</summary>\n\nb\n\n</details>`,
        );
        expect(codes).toEqual([plain(text)]);
        expect({ elements, words: words.replace(/\s/g, "") }).toEqual({
          elements: { details: 1, summary: 1, code: 1, p: 1 },
          words: "ab",
        });
      }),
      { numRuns: runs(500) },
    );
  });

  test("is shown literally as a sentence, with everything except words as code", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const shown = plain(text).trim();
        for (const before of ["", "- ", "> ", "**Lead** "]) {
          const found = rendered(`${before}${prose(text)}`);
          const lead = before.startsWith("*") ? "Lead " : "";
          expect(found.text.trim()).toBe(`${lead}${shown === "" ? '""' : shown}`);
          expect(harmfulWords(found)).toEqual([]);
          expect(Object.keys(found.elements).filter((name) => !ORDINARY.includes(name))).toEqual([]);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test("is harmless within a message, and loses backticks around code", () => {
    fc.assert(
      fc.property(anything, (text) => {
        for (const before of ["", "- ", "> "]) {
          const found = rendered(`${before}${message(text)}`);
          const shown = plain(text).trim();
          expect(found.text.trim().replaceAll("`", "")).toBe(
            (shown === "" ? '""' : shown).replaceAll("`", ""),
          );
          expect(harmfulWords(found)).toEqual([]);
          expect(Object.keys(found.elements).filter((name) => !ORDINARY.includes(name))).toEqual([]);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test.each([
    ["`zoneward demo` needs none.", "`zoneward demo` needs none."],
    ["Is it (`a b`)? It is `c`.", "Is it (`a b`)? It is `c`."],
    ["Write `a` `b c`, not `d`", "Write `a` `b c`, not `d`"],
    ["If this is intended, pass --allow weakens.", "If this is intended, pass `--allow weakens`."],
    ["or with --guardrails FILE, which", "or with `--guardrails FILE`, which"],
    ["--max-age is 5; it takes minutes", "`--max-age` is 5; it takes minutes"],
    ["--base git:a/b cannot be read", "`--base git:a/b` cannot be read"],
    [
      "Or accept it: # zoneward: accept logs_credentials until 2027-01-31: REASON.",
      "Or accept it: `# zoneward: accept logs_credentials until 2027-01-31: REASON`.",
    ],
    ["a lone ` stays", "a lone `` ` `` stays"],
    ["`@team` and @team", "`@team` and `@team`"],
  ])("is shown in a message: %s", (text, shown) => {
    expect(message(text)).toBe(shown);
  });

  test("is shown literally in a code block without ending it", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const { codes, elements } = rendered(fence([`+ ${plain(text)}`, plain(text)], "diff"));
        expect(codes).toEqual([`+ ${plain(text)}\n${plain(text)}\n`]);
        expect(elements).toEqual({ pre: 1, code: 1 });
      }),
      { numRuns: runs(500) },
    );
  });

  test.each([
    ["The value script-src 'self' is new.", "The value script-src 'self' is new."],
    ["max_changes goes from 10 to 50.", "`max_changes` goes from 10 to 50."],
    ["see https://a.example/x, which is new", "see `https://a.example/x`, which is new"],
    ['the path "/a b"', 'the path "`/a` b"'],
    ["score 40 → 60: more", "score 40 → 60: more"],
    ["asked @team about #1 and #2", "asked `@team` about `#1` and `#2`"],
    ["1. is a number", "`1`. is a number"],
    [
      'blocked: requests that match http.host contains "|a`b" or (ssl and x); now /a except requests that match ssl',
      'blocked: requests that match ``http.host contains "|a`b" or (ssl and x)``; now `/a` except requests that match `ssl`',
    ],
    [
      "skips: requests that match ip.src in {192.0.2.0/24} except requests that match ssl and x, and except /a",
      "skips: requests that match `ip.src in {192.0.2.0/24}` except requests that match `ssl and x`, and except `/a`",
    ],
    ["(requests that match not ssl).", "(requests that match `not ssl`)."],
    ["requests that match a)@team is", "requests that match `a)@team` is"],
  ])("%s", (text, shown) => {
    expect(prose(text)).toBe(shown);
  });
});

const ORDINARY = ["p", "ul", "li", "strong", "code", "blockquote"];

const structure = ["h3", "h4", "details", "summary", "pre", "ul", "li", "blockquote", "p"] as const;

const counts = ({ elements }: Rendered) => structure.map((name) => [name, elements[name] ?? 0]);

describe("a plan with hostile text has the same structure as one without", () => {
  const expected = counts(rendered(planMarkdown(planView(hostilePlan(plan, "x"), "plan"), ALL)));

  test.each(texts)("%s", (_, text) => {
    const markdown = planMarkdown(planView(hostilePlan(plan, text), "plan"), ALL);
    const page = rendered(markdown);
    expect(counts(page)).toEqual(expected);
    expect(Object.keys(page.elements).sort()).toEqual([...structure, "strong", "code"].sort());
    expect(harmfulWords({ ...page, words: page.words.replace(/\[!(?:WARNING|CAUTION)\]/g, "") })).toEqual([]);
    expect(harmIn(markdown, "people")).toEqual([]);
    expect(page.codes).toContain(plain(`${text}Checkout scripts`, 120));
    // Of a longer text, a part is left out.
    const member = visible(`${text}https://a.example`);
    if (member.length > MAX_CHARS) return;
    expect(page.codes.some((each) => each.includes(`\n-     ${member}\n`))).toBe(true);
  });
});

describe("a plan in Markdown", () => {
  test("never exceeds the limit and always has its digest and base", () => {
    for (let maxBytes = 1_000; maxBytes < 40_000; maxBytes = Math.ceil(maxBytes * (isDeep ? 1.05 : 1.2)))
      for (const about of ["plan", "drift"] as const) {
        const markdown = planMarkdown(planView(plan, about), maxBytes);
        expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxBytes);
        expect(markdown).toContain(`\`${plan.digest}\``);
        expect(markdown).toContain(`\`${plan.base}\``);
        const { elements } = rendered(markdown);
        expect(elements.details).toBe(elements.summary);
        expect(markdown.match(/^<details>/gm)?.length).toBe(markdown.match(/^<\/details>$/gm)?.length);
        expect(elements.table).toBeUndefined();
      }
  });

  test.each(some(texts))("is valid Markdown where it is cut, even with few bytes: %s", (_, text) => {
    for (const maxBytes of [1_000, 2_000, 5_000]) {
      const markdown = planMarkdown(planView(hostilePlan(plan, `é${text}`), "plan"), maxBytes);
      expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxBytes);
      const page = rendered(markdown);
      expect(Object.keys(page.elements).filter((name) => name.startsWith("[") || name === "a")).toEqual([]);
      expect(page.elements.details).toBe(page.elements.summary);
      expect(page.text).toContain(plan.digest);
      expect(page.text).not.toContain("\ufffd");
    }
  });

  test("has at least a verdict and a digest, with any limit", () => {
    for (const maxBytes of [-1, 0, 100, 999])
      expect(render.markdown(plan, { maxBytes })).toBe(render.markdown(plan, { maxBytes: 1_000 }));
    const { text } = rendered(render.markdown(plan, { maxBytes: 100 }));
    expect(text).toMatch(/Plan: 1 of 9 zones .*; 8 weaken/);
    expect(text).toContain(plan.digest);
  });

  test("says what it leaves out, if anything", () => {
    const whole = planMarkdown(planView(plan, "plan"), ALL);
    expect(whole).not.toContain("Left out");
    expect(planMarkdown(planView(plan, "plan"), Buffer.byteLength(whole) + 100)).toBe(whole);
    expect(planMarkdown(planView(plan, "plan"), 1_000)).toMatch(
      /Left out to fit into 1000 bytes: 18 changes, .*18 calls, 4 objects.* The digest covers the whole plan/,
    );
  });

  test("starts with changes to the review itself, before the verdict", () => {
    const whole = planMarkdown(planView(plan, "plan"), ALL);
    const texts = ["Guardrails changed", "Service section changed", "### Plan: "];
    const places = texts.map((text) => whole.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeLessThan(20);
  });

  test("keeps weakening changes if space is short", () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...plan.changes[5],
      key: `neutral ${index}`,
    })) as PlanDocument["changes"]; // copies of a valid change
    const markdown = planMarkdown(planView({ ...plan, changes: [...many, ...plan.changes] }, "plan"), 8_000);
    expect(markdown).toContain("#### Weakens protection (8)");
    expect(markdown).toContain("**Update** policy `Checkout scripts`");
    expect(markdown).toContain("#### No effect on protection (507)");
    expect(Buffer.byteLength(markdown)).toBeGreaterThan(7_000);
    expect(markdown).toMatch(/Left out.*: \d+ changes/);
  });

  test("shows a change of many zones once, with every zone", () => {
    const { text, elements } = rendered(planMarkdown(planView(plan, "plan"), ALL));
    expect(text.match(/script-src gains https:\/\/tags\.example/g)).toHaveLength(1);
    expect(elements.details).toBeGreaterThan(2);
    for (const letter of "abcdef")
      expect(text).toContain(`brand-${letter}.example.net (templates/brand.yaml:9)`);
  });

  test("highlights a malicious load that would be allowed in one of many zones", () => {
    const changes = plan.changes.map((each) => {
      if (each.zone !== "brand-c.example.net" || each.impact?.scripts === undefined) return each;
      const detection = { id: "m", url: "https://evil.example/", malicious: true, page: null, own: false };
      return { ...each, impact: { scripts: { ...each.impact.scripts, newly_allowed: [detection] } } };
    });
    const markdown = planMarkdown(planView({ ...plan, changes }, "plan"), 6_000);
    expect(markdown).toContain("- **newly allowed: 2 scripts (1 malicious)**\n\n<details>");
    expect(planMarkdown(planView(plan, "plan"), ALL)).toContain("\n- newly allowed: 1 script\n\n<details>");
  });

  test("shows no secret, but names a changed one", () => {
    const markdown = planMarkdown(planView(plan, "plan"), ALL);
    expect(markdown).toContain("  destination_conf\n+   (sensitive)\n");
  });

  test("of drift shows outside changes, weakening ones first", () => {
    const markdown = planMarkdown(planView(plan, "drift"), ALL);
    expect(markdown).toContain("2 weaken, ");
    expect(markdown.indexOf("#### Weakens protection (2)")).toBeGreaterThan(0);
    expect(markdown).toContain("**Changed outside:** `managed_ruleset`");
    expect(markdown).toContain("- ↓ score threshold 40 → 60");
    expect(markdown).toContain("\n-   40 (medium)\n+   60 (low: least strict)\n");
  });

  test("of ten thousand changes fits the limit", () => {
    const changes = Array.from({ length: runs(10_000) }, (_, index) => ({
      ...plan.changes[0],
      key: `Policy ${index}`,
    })) as PlanDocument["changes"]; // copies of a valid change
    const markdown = planMarkdown(planView({ ...plan, changes }, "plan"), 60_000);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(60_000);
  });
});

describe("problems in Markdown", () => {
  const problem = (text: string) => ({
    code: "bad",
    severity: "error" as const,
    summary: `Summary ${text}`,
    detail: text,
    at: { file: text, line: 3, column: 5, pointer: "", text },
  });

  test("have their places", () => {
    expect(problemsMarkdown([problem("a_b")], 1_000)).toBe(
      "### No plan: 1 error\n\n#### Errors\n\n- `a_b:3:5` **Summary `a_b`**: `a_b`\n",
    );
  });

  test("say what is left out, without a digest", () => {
    const markdown = problemsMarkdown(Array(40).fill(problem("x".repeat(100))), 2_000);
    expect(markdown).toMatch(/Left out to fit into 2000 bytes: .*The formats json and html show all/);
    expect(markdown).not.toContain("digest");
  });

  test.each(some(texts))("stay within the limit and are a list: %s", (_, text) => {
    const markdown = problemsMarkdown(Array(40).fill(problem(text)), 2_000);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(2_000);
    const page = rendered(markdown);
    const allowed = ["h3", "h4", "p", "ul", "li", "strong", "code", "blockquote"];
    expect(Object.keys(page.elements).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(harmfulWords({ ...page, words: page.words.replace("[!IMPORTANT]", "") })).toEqual([]);
  });
});
