import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { parseSync, Visitor } from "oxc-parser";

const TRACE = fileURLToPath(new URL("trace.mjs", import.meta.url));

/** The top level of this file waits for the command to end, so loading it must not count. */
const ENTRY = "cli.ts";

/**
 * The program of a checkout with each file as its own module. Each function reports its calls and results. The packages are
 * those of this checkout, so an older checkout needs no installation.
 *
 * @param root the root of a checkout
 */
export function tracedProgram(root) {
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = realpathSync(mkdtempSync("node_modules/.cache/zoneward-traced-"));
  const functions = [];
  for (const file of readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })) {
    if (!/\.(ts|js)$/.test(file) || file.endsWith(".d.ts")) continue;
    const target = path.join(folder, "src", file.replace(/\.ts$/, ".js"));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, traced(file, readFileSync(path.join(root, "src", file), "utf8"), functions));
  }
  copyFileSync(path.join(root, "package.json"), path.join(folder, "package.json"));
  return {
    /** Runs the program; `mark` is a text to follow. Functions are recorded with whether their results contain it. */
    run: (args, options) => run(folder, functions, args, options),
    close: () => rmSync(folder, { recursive: true }),
  };
}

function traced(file, source, functions) {
  const loader = file.endsWith(".ts") ? "ts" : "js";
  const { code } = transformSync(source, { loader, format: "esm", platform: "node", target: "node20.18" });
  const inserts = [];
  const insert = (at, text) => inserts.push([at, inserts.length, text]);
  const open = [];
  const enter = (node) => {
    const id = functions.length;
    functions.push({ file, name: node.id?.name ?? null });
    open.push(id);
    const { body } = node;
    if (body.type === "BlockStatement") return insert(body.start + 1, `__in(${id});`);
    insert(body.start, `(__in(${id}),__out(${id},`);
    return insert(body.end, "))");
  };
  const leave = () => void open.pop();
  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    ReturnStatement({ argument }) {
      if (argument === null) return;
      insert(argument.start, `__out(${open.at(-1)},`);
      insert(argument.end, ")");
    },
  }).visit(parseSync(`${file}.js`, code).program);
  const text = inserted(code, inserts);
  return file === ENTRY ? text : `__load(1);\n${text}\n;__load(-1);\n`;
}

/** The code with all insertions. If several are at one place, the first is the outermost, so it closes last. */
function inserted(code, inserts) {
  const closes = ([, , text]) => text.startsWith(")");
  const sorted = inserts.toSorted(
    (one, other) =>
      one[0] - other[0] ||
      closes(other) - closes(one) ||
      (closes(one) ? other[1] - one[1] : one[1] - other[1]),
  );
  let text = "";
  let from = 0;
  for (const [at, , more] of sorted) {
    text += code.slice(from, at) + more;
    from = at;
  }
  return text + code.slice(from);
}

async function run(folder, functions, args, { cwd, env = {}, mark = "" }) {
  const output = path.join(folder, "trace.json");
  const child = spawn(process.execPath, ["--import", TRACE, path.join(folder, "src/cli.js"), ...args], {
    cwd,
    env: { PATH: process.env.PATH, NO_PROXY: "127.0.0.1", TRACE_OUTPUT: output, TRACE_MARK: mark, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [code] = await once(child, "close");
  const [out, err] = await texts;
  const { calls, marked } = JSON.parse(readFileSync(output, "utf8"));
  const called = calls.map(([id, count]) => ({ ...functions[id], count }));
  return {
    code,
    out,
    err,
    /** Functions and their numbers of calls, in the order of the first calls. Calls during loading do not count. */
    called,
    /** The files of called functions, in order. */
    entered: [...new Set(called.map(({ file }) => file))],
    /** The files of functions that returned the mark, in order. */
    marked: [...new Set(marked.map((id) => functions[id].file))],
  };
}

async function textOf(stream) {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += chunk;
  return text;
}
