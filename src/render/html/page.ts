import { hash } from "node:crypto";
import { html, type Markup, markupText } from "./markup.js";

/** A self-contained page. Its CSP allows nothing but its own style. */
export function page(title: Markup, body: Markup): string {
  const digest = hash("sha256", markupText(STYLE), "base64");
  return markupText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'">
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

/** All colours have a contrast of at least 4.5 to 1, in both schemes. */
const STYLE = html`
:root{color-scheme:light dark;
--page:#f6f7f9;--card:#fff;--ink:#1a2029;--faint:#5a6472;--line:#dfe3e8;--quiet:#f0f2f5;--link:#0b57b5;
--weak:#b3261e;--weak-bg:#fdecea;--strong:#1a6b34;--strong-bg:#e6f4ea;--mixed:#8a5200;--mixed-bg:#fdf1dc;--none:#4f5967;--none-bg:#eceff3;--new:#0a4f9e;--new-bg:#e3eefb;--gone:#7a2f8f;--gone-bg:#f6e8fa}
@media (prefers-color-scheme:dark){:root{
--page:#0f1318;--card:#171c23;--ink:#e4e8ee;--faint:#9aa5b3;--line:#2b333d;--quiet:#1e242c;--link:#7db4ff;
--weak:#ff9d94;--weak-bg:#3c1c1a;--strong:#7fd99a;--strong-bg:#16321f;--mixed:#f0bd6a;--mixed-bg:#38290f;--none:#aab4c1;--none-bg:#262d36;--new:#9cc9ff;--new-bg:#14304f;--gone:#e3b0f2;--gone-bg:#3a1f45}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,nav,main,footer{max-width:1120px;margin:0 auto;padding:0 24px;overflow-wrap:anywhere}
header{padding-top:40px}
footer{padding-top:8px;padding-bottom:48px;color:var(--faint);font-size:13px}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:3px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
code,pre,.fields td,.impact th[scope=row],.whole{font-family:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
code{white-space:pre-wrap}
h1,h2,h3,h4{line-height:1.25;margin:0;text-wrap:balance}
h1{font-size:30px;letter-spacing:-.015em}
h2{font-size:20px;margin:44px 0 14px}
h3{font-size:17px}
h3 code{color:var(--faint);font-weight:400;font-size:12.5px;margin-left:6px}
h4{font-size:15px;font-weight:400}
.made{margin:0 0 6px;color:var(--faint);font-size:13px;font-weight:600;letter-spacing:.02em}
.verdict{list-style:none;padding:0;margin:12px 0 24px;max-width:80ch}
.verdict li{margin:2px 0}
.verdict li::first-letter{text-transform:uppercase}
.verdict li:first-child{font-size:19px;font-weight:600;margin-bottom:6px}
.faint{color:var(--faint)}
.weakens,.error{color:var(--weak)}
.strengthens{color:var(--strong)}
.mixed,.unknown,.warning{color:var(--mixed)}
.neutral{color:var(--none)}
.error,.warning,.strong{font-weight:600}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
dl,dd,dt{margin:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:1px;background:var(--line);border:1px solid var(--line);border-radius:10px;overflow:hidden}
.tiles div{background:var(--card);padding:12px 16px;display:flex;flex-direction:column-reverse}
.tiles dt{color:var(--faint);font-size:13px}
.tiles dd{font-size:24px;font-weight:600;line-height:1.2;font-variant-numeric:tabular-nums}
.facts{margin-top:18px;font-size:13px}
.facts div{display:flex;gap:10px;margin:2px 0}
.facts dt{color:var(--faint);flex:0 0 80px}
.facts dd{min-width:0}
nav ul{list-style:none;margin:22px 0 0;padding:0;display:flex;flex-wrap:wrap;gap:4px 20px;font-size:14px}
section{scroll-margin-top:12px}
.zone{margin:0 0 28px}
.sums{margin:2px 0 12px;font-size:14px}
.zone>details>summary{margin:4px 0 10px}
.change:is(article){background:var(--card);border:1px solid var(--line);border-left:4px solid var(--none);border-radius:8px;padding:14px 18px;margin:0 0 12px;scroll-margin-top:12px}
.change:target{outline:2px solid var(--link)}
.messages{list-style:none;margin:0;padding:0}
.messages li{background:var(--card);border:1px solid var(--line);border-left-width:4px;border-radius:8px;padding:10px 16px;margin:0 0 8px}
.messages .about{display:block;color:var(--faint);font-size:13px}
.change.weakens-edge,.messages .error-edge{border-left-color:var(--weak)}
.change.strengthens-edge{border-left-color:var(--strong)}
.change.mixed-edge,.change.unknown-edge,.messages .warning-edge{border-left-color:var(--mixed)}
.messages .note-edge{border-left-color:var(--line)}
.badge{display:inline-block;border-radius:999px;padding:1px 10px;margin-right:4px;font-size:13px;font-weight:600;background:var(--none-bg)}
.badge.weakens{background:var(--weak-bg)}
.badge.strengthens{background:var(--strong-bg)}
.badge.mixed,.badge.unknown{background:var(--mixed-bg)}
.do{color:var(--faint)}
.places{margin:6px 0 0;color:var(--faint);font-size:13px}
.lead{margin:10px 0 -4px;font-size:13px;color:var(--faint)}
.reasons{list-style:none;margin:10px 0 0;padding:0}
.reasons li{padding-left:20px;position:relative;margin:2px 0}
.reasons li>span:first-child{position:absolute;left:0}
.same{margin:8px 0 0}
.witness{display:block;color:var(--faint);font-size:13px}
.others{font-weight:400;font-size:13px}
.more{margin-top:8px}
.box{overflow-x:auto;margin-top:12px;max-width:100%}
.tall{max-height:75vh;overflow:auto;border:1px solid var(--line);border-radius:8px;background:var(--card)}
table{border-collapse:collapse;width:100%;font-size:14px}
.fields{margin-top:12px}
caption{text-align:left;color:var(--faint);font-size:13px;padding:0 0 6px}
th,td{text-align:left;vertical-align:top;padding:7px 14px 7px 0;border-top:1px solid var(--line)}
thead th{font-weight:600;font-size:13px;color:var(--faint);border-top:0;white-space:nowrap}
tbody th,.fields th{font-weight:400}
.fields th{width:190px;padding-right:20px;color:var(--faint);font-size:13px}
.fields td{padding-right:0}
.three{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:2px 14px;margin:0 0 6px}
.three dt{color:var(--faint);font:12.5px system-ui,sans-serif}
.three dd{overflow-wrap:anywhere}
.matrix{min-width:720px}
.matrix caption{padding:10px 12px 8px}
.matrix th,.matrix td{padding:8px 12px}
.matrix thead th{position:sticky;top:0;background:var(--quiet);z-index:1}
.matrix tbody th{position:sticky;left:0;background:var(--card);font-weight:600;max-width:320px;min-width:min(180px,44vw)}
.matrix td a{display:inline-block;white-space:nowrap}
.matrix td{min-width:110px}
.matrix .faint{font-size:13px}
.of{display:none}
.impact{min-width:600px;table-layout:fixed}
.impact th:first-child{width:46%}
.impact th:last-child{width:20%}
.impact th[scope=rowgroup]{padding-top:12px}
.impact th[scope=row]{padding-left:14px}
.unmanaged th:first-child{width:22%}
.unmanaged th:nth-child(2){width:16%}
.calls{min-width:640px;table-layout:fixed}
.calls th:first-child{width:56px}
.calls th:nth-child(3){width:26%}
.calls th:last-child{width:72px}
ins,del{text-decoration:none;border-radius:4px;padding:1px 5px;box-decoration-break:clone;-webkit-box-decoration-break:clone}
ins,.add{color:var(--new)}
ins{background:var(--new-bg)}
del,.remove{color:var(--gone)}
del{background:var(--gone-bg)}
td>div+div{margin-top:4px}
ul.parts{list-style:none;margin:0;padding:0}
.parts li{margin:0 0 3px}
.parts code{font-size:1em}
summary{cursor:pointer}
summary h3{display:inline}
details.zone{margin-bottom:10px}
ins details,del details{display:inline-block;vertical-align:top}
.whole{white-space:pre-wrap;max-height:60vh;overflow:auto}
pre{margin:6px 0;padding:10px 12px;background:var(--quiet);border-radius:6px;overflow:auto;max-height:60vh;white-space:pre-wrap;overflow-wrap:anywhere}
@media (max-width:640px){
header,nav,main,footer{padding-left:16px;padding-right:16px}
header{padding-top:24px}
h1{font-size:24px}
.verdict li:first-child{font-size:17px}
.tiles{grid-template-columns:repeat(3,1fr)}
.tiles div{padding:10px 12px}
.change:is(article){padding:12px 14px}
.matrix,.impact,.calls{min-width:0}
.matrix thead,.matrix .quiet{display:none}
.matrix,.matrix caption,.matrix tbody,.matrix tr,.matrix tbody th,.matrix td{display:block;position:static;max-width:none}
:is(.impact,.calls,.unmanaged),:is(.impact,.calls,.unmanaged) :is(caption,tbody,tr,td,tbody th,th:first-child){display:block;width:auto}
:is(.impact,.calls,.unmanaged) thead{display:none}
:is(.calls,.unmanaged) td{border-top:0;padding-top:0}
:is(.calls,.unmanaged) td:empty{display:none}
.calls tbody th{padding-bottom:0;font-weight:600}
.calls tbody th::before{content:"step "}
.calls td:last-child::before{content:"after "}
.impact th[scope=row]{padding-bottom:0}
.impact td{border-top:0;padding:0 0 4px 14px}
.impact td:nth-child(2)::before{content:"on "}
.impact td:empty{display:none}
.matrix td{border-top:0;padding-top:0}
.matrix .of{display:inline;color:var(--faint);margin-right:8px}
.fields,.fields tbody,.fields tr,.fields th,.fields td,.fields caption{display:block;width:auto}
.fields th{padding-bottom:0;white-space:normal}
.fields td{border-top:0;padding-top:2px}
.three{grid-template-columns:minmax(0,1fr)}
}
@media print{
:root{color-scheme:light}
body{background:#fff;font-size:11pt}
nav{display:none}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
.tall,.whole,pre{max-height:none;overflow:visible}
.change,tr,.messages li{break-inside:avoid}
a{color:inherit;text-decoration:none}
}
`;
