const COLUMNS = 80;
const [FONT, ROW, CHAR, MARGIN] = [14, 20, 8.43, 16];
/** Pauses in milliseconds: before a command, per character, after the command, to print and to read a line, and at the end. */
const MS = { think: 900, typed: 45, enter: 300, line: 60, read: 220, end: 8000 };

/** The colours on a light and on a dark page. */
const COLOURS = {
  page: ["#f5f7fa", "#171c23"],
  ink: ["#1b2330", "#e4e8ee"],
  faint: ["#4f5967", "#9aa5b3"],
  red: ["#b3261e", "#ff9d94"],
  green: ["#1a6b34", "#7fd99a"],
  yellow: ["#8a5200", "#f0bd6a"],
  magenta: ["#7a2f8f", "#e3b0f2"],
  cyan: ["#0a4f9e", "#9cc9ff"],
};
const ON = { 1: "strong", 2: "faint", 31: "red", 32: "green", 33: "yellow", 35: "magenta", 36: "cyan" };
const OFF = { 22: ["strong", "faint"], 39: ["red", "green", "yellow", "magenta", "cyan"] };

/** An SVG that types each command, shows its text, and starts again. Without animation, it shows the end. */
export function animated(runs) {
  const { rows, length } = timed(runs);
  const [width, height] = [Math.ceil(COLUMNS * CHAR) + 2 * MARGIN, rows.length * ROW + 2 * MARGIN];
  const texts = rows.map((cells, row) => `<text y="${FONT + row * ROW}">${spans(cells)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${runs.map(({ command }) => command).join(", ")}</title>
<style>
svg{${variables(0)}}
@media (prefers-color-scheme:dark){svg{${variables(1)}}}
rect{fill:var(--page);stroke:var(--faint);stroke-opacity:.4}
text{fill:var(--ink);font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.strong{font-weight:bold}
${Object.keys(COLOURS)
  .map((name) => `.${name}{fill:var(--${name})}`)
  .join("\n")}
@media (prefers-reduced-motion:no-preference){tspan{animation:${length}ms step-end infinite}}
${keyframes(rows, length)}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<g transform="translate(${MARGIN} ${MARGIN})" xml:space="preserve">
${texts.join("\n")}
</g>
</svg>
`;
}

/** Rows of cells, each with the millisecond at which it appears, and the length of the recording. */
function timed(runs) {
  let at = 0;
  const rows = [];
  for (const { command, text } of runs) {
    const typing = at + MS.think;
    const typed = [...command].map((char, index) => ({
      char,
      look: "strong",
      at: typing + index * MS.typed,
    }));
    rows.push([{ char: "$ ", look: "faint", at }, ...typed]);
    at = typing + typed.length * MS.typed + MS.enter;
    const lines = text.split("\n").map(cellsOf).flatMap(wrapped);
    rows.push(...lines.map((cells, index) => cells.map((cell) => ({ ...cell, at: at + index * MS.line }))));
    at += lines.length * (MS.line + MS.read);
  }
  return { rows, length: at + MS.end };
}
/** The characters of a line, each with the classes of the ANSI codes before it. */
function cellsOf(line) {
  const looks = new Set();
  return line.split(/\x1b\[(\d+)m/).flatMap((part, index) => {
    if (index % 2 === 0) return [...part].map((char) => ({ char, look: [...looks].join(" ") }));
    if (part in ON) looks.add(ON[part]);
    else for (const each of OFF[part]) looks.delete(each);
    return [];
  });
}

/** The line broken at spaces. Each row keeps the indentation. */
function wrapped(cells) {
  if (cells.length <= COLUMNS) return [cells];
  const end = cells.findLastIndex(({ char }, index) => char === " " && index <= COLUMNS);
  const words = cells.findIndex(({ char }) => char !== " ");
  return [cells.slice(0, end), ...wrapped([...cells.slice(0, words), ...cells.slice(end + 1)])];
}

function variables(shade) {
  return Object.entries(COLOURS)
    .map(([name, both]) => `--${name}:${both[shade]}`)
    .join(";");
}

function keyframes(rows, length) {
  const times = new Set(rows.flat().map(({ at }) => at));
  return [...times]
    .map((at) => {
      const share = ((100 * at) / length).toFixed(2);
      return `@keyframes t${at}{0%{visibility:hidden}${share}%,to{visibility:visible}}`;
    })
    .join("\n");
}

/** Neighbours that look alike and appear together share an element. */
function spans(cells) {
  const runs = [];
  for (const { char, look, at } of cells) {
    const style = `class="${look}" style="animation-name:t${at}"`;
    const text = char.replace("&", "&amp;").replace("<", "&lt;");
    if (runs.at(-1)?.style === style) runs.at(-1).text += text;
    else runs.push({ style, text });
  }
  return runs.map(({ style, text }) => `<tspan ${style}>${text}</tspan>`).join("");
}
