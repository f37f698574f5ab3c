import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./cli.js";

/** The parts of a document that tests read. */
export interface MarkdownFile {
  /** Relative to the project's root: `docs/safety.md`. */
  readonly file: string;
  readonly blocks: readonly Block[];
  /** Texts between backticks outside of code blocks. */
  readonly codes: readonly string[];
  /** Targets of links and images. */
  readonly targets: readonly string[];
  /** Possible texts after a `#`. */
  readonly anchors: ReadonlySet<string>;
}

/** The code between fences, without the indentation of a list. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The project's documents: in its root, in docs/ and in examples/. */
export function readDocuments(): readonly MarkdownFile[] {
  return [...markdownIn("."), ...markdownIn("docs"), ...markdownIn("examples")].map(readMarkdown);
}

function markdownIn(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(".md") && name !== "CHANGELOG.md")
    .map((name) => path.posix.join(folder, name))
    .sort();
}

export function readMarkdown(file: string): MarkdownFile {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  const blocks: Block[] = [];
  const prose = text.replace(FENCE, (_, indent: string, _fence, language: string, inner: string) => {
    blocks.push({ language, text: inner.replace(new RegExp(`^${indent}`, "gm"), "") });
    return "\n";
  });
  const withoutCode = prose.replace(CODE, "");
  return {
    file,
    blocks,
    codes: [...prose.matchAll(CODE)].map(([, , code = ""]) => code.trim()),
    targets: [...withoutCode.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target),
    anchors: anchorsOf(prose),
  };
}

const FENCE = /^( *)(`{3,})([\w-]*)[^\n]*\n([\s\S]*?)^ *\2 *$/gm;
const CODE = /(?<!`)(`+)(?!`)((?:(?!\n\n)[\s\S])*?[^`])\1(?!`)/g;

/** The anchors that GitHub makes from headings. */
function anchorsOf(prose: string): ReadonlySet<string> {
  const found = new Map<string, number>();
  const anchors = [...prose.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = ""]) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const before = found.get(slug) ?? 0;
    found.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  return new Set(anchors);
}
