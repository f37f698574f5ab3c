import { createHash } from "node:crypto";
import { html, type Markup, markupText } from "./markup.js";
import { STYLE } from "./style.js";

/** A whole page, which needs nothing else and allows nothing but its own style. */
export function page(title: Markup, body: Markup): string {
  const hash = createHash("sha256").update(markupText(STYLE)).digest("base64");
  return markupText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
${body}</body>
</html>
`);
}
