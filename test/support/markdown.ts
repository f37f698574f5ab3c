import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { DASHBOARD_ADDRESS } from "../../src/model/dashboard.js";

/** The rendered form of a Markdown page. */
export interface Rendered {
  /** The count of each element. */
  readonly elements: Readonly<Record<string, number>>;
  /** The texts of code elements. */
  readonly codes: readonly string[];
  /** All other text. */
  readonly words: string;
  readonly text: string;
}

/** Parses as GitHub does, including HTML. */
export function rendered(markdown: string): Rendered {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const found = { elements: {} as Record<string, number>, codes: [] as string[], words: "", text: "" };
  walk(parseFragment(html), false, found);
  return found;
}

type Found = { -readonly [key in keyof Rendered]: Rendered[key] } & {
  elements: Record<string, number>;
  codes: string[];
};

function walk(node: DefaultTreeAdapterTypes.Node, isCode: boolean, found: Found): void {
  if (node.nodeName === "#text" && "value" in node) {
    found.text += node.value;
    if (!isCode) found.words += node.value;
    return;
  }
  if (node.nodeName === "#comment") found.elements["#comment"] = (found.elements["#comment"] ?? 0) + 1;
  if ("tagName" in node && !isOurLink(node)) {
    found.elements[node.tagName] = (found.elements[node.tagName] ?? 0) + 1;
    // GitHub removes all other attributes; our pages have none.
    for (const { name } of node.attrs) if (name !== "class") found.elements[`[${name}]`] = 1;
    if (node.tagName === "code") found.codes.push(textOf(node));
  }
  if ("childNodes" in node)
    for (const child of node.childNodes) walk(child, isCode || node.nodeName === "code", found);
}

/** The only kind of link in our pages: to the service's dashboard, without further parts. */
function isOurLink({ tagName, attrs }: DefaultTreeAdapterTypes.Element): boolean {
  const [only, ...others] = attrs;
  return tagName === "a" && others.length === 0 && only?.name === "href" && ADDRESS.test(only.value);
}

const ADDRESS = new RegExp(DASHBOARD_ADDRESS);

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if (node.nodeName === "#text" && "value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}
