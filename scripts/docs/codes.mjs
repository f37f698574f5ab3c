import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";
import { globSync } from "tinyglobby";

/** Codes that src composes at run time, each with its possible values. */
const COMPUTED = {
  // Advice, which has no summary.
  '`csp_no_${directive.replaceAll("-", "_")}`': [
    "csp_no_base_uri",
    "csp_no_object_src",
    "csp_no_strict_dynamic",
  ],
  "`duplicate_${key}`": ["duplicate_guardrails", "duplicate_service"],
  "`duplicate_${sort}`": ["duplicate_template", "duplicate_zone"],
  // Found elsewhere: in the titles, or as a reason of the parser.
  "`expression_${why.code}`": [],
  // The other codes of the YAML parser are cases of a switch.
  "`yaml_${error.code.toLowerCase()}`": ["yaml_bad_prop_order", "yaml_resource_exhaustion"],
};

/** Tables in src that map codes to summaries. */
const TABLES = ["FAILURES", "SUMMARIES", "TITLES"];

/** The table of messages by the reasons of the expression parser. */
const REASONS = "MESSAGES";

/** A problem that carries a text and is never shown. */
const INTERNAL = "told";

/** The names of metrics look like codes. */
const METRIC = "zoneward_";

/** Each code of a problem in src, with its summaries. A … stands for a name or a value. */
export function problemCodes() {
  const sources = new Map(globSync("src/**/*.ts").map((file) => [file, readSource(file)]));
  const found = new Map();
  const others = [];
  for (const file of [...sources.values()]) {
    const look = (name, part) => {
      const { from, imported } = file.imports.get(name) ?? {};
      return file[part].get(name) ?? sources.get(from)?.[part].get(imported);
    };
    for (const [code, summary] of file.nodes.flatMap((node) => sitesOf(node, file, look))) {
      const computed = COMPUTED[file.text.slice(code.start, code.end)];
      const codes = (computed ?? valuesOf(code, file, look)).filter((each) => CODE.test(each));
      if (summary === undefined && computed === undefined) others.push(...codes);
      else
        for (const each of codes)
          found.set(each, new Set([...(found.get(each) ?? []), ...valuesOf(summary, file, look)]));
    }
  }
  found.delete(INTERNAL);
  const odd = others.filter(
    (code) => code.includes("_") && !found.has(code) && !found.has(`expression_${code}`),
  );
  if (odd.length > 0) throw new Error(`No summary found in src for ${odd.join(", ")}.`);
  return found;
}

const CODE = /^[a-z][a-z\d]*(_[a-z\d]+)*$/;

function readSource(file) {
  const text = readFileSync(file, "utf8");
  const nodes = [];
  walk(parseSync(file, text).program, null, nodes);
  const of = (type) => nodes.filter((node) => node.type === type);
  const constants = of("VariableDeclarator").filter(({ init }) => init !== null);
  return {
    text,
    nodes,
    constants,
    texts: new Map(constants.map(({ id, init }) => [id.name, init.value])),
    functions: new Map(nodes.filter(nameOf).map((node) => [nameOf(node), node])),
    imports: new Map(
      of("ImportSpecifier").map(({ local, imported, parent }) => [
        local.name,
        {
          imported: imported.name,
          from: path.join(path.dirname(file), parent.source.value.replace(/\.js$/, ".ts")),
        },
      ]),
    ),
  };
}

/** All nodes below a node, each with its parent. */
function walk(node, parent, nodes) {
  if (Array.isArray(node)) for (const each of node) walk(each, parent, nodes);
  else if (typeof node?.type === "string") {
    nodes.push(node);
    for (const each of Object.values(node)) walk(each, node, nodes);
    node.parent = parent;
  }
}

/** The name of a function. */
function nameOf({ type, id, params, parent }) {
  if (params?.map === undefined || !/Function/.test(type)) return undefined;
  return id?.name ?? parent.id?.name ?? parent.key?.name;
}

function parameterName(node) {
  if (node.type === "ArrayPattern") return node.elements[0]?.name;
  return node.name ?? node.left?.name ?? node.parameter?.name;
}

/** The codes that a node gives, each with its summary if the node has one. */
function sitesOf(node, file, look) {
  switch (node.type) {
    case "ObjectExpression": {
      const entries = node.properties.filter(({ key }) => key !== undefined);
      const table = node.parent.id?.name ?? node.parent.parent?.id?.name;
      if (table === REASONS) return entries.map(({ key }) => [literal(`expression_${key.name}`), null]);
      if (TABLES.includes(table))
        return entries.map(({ key, value, computed }) => [computed ? key : literal(key.name), value]);
      const { code, summary } = Object.fromEntries(entries.map(({ key, value }) => [key.name, value]));
      return code === undefined ? [] : [[code, summary]];
    }
    case "CallExpression": {
      const name = node.callee.name ?? node.callee.property?.name;
      const names = (look(name, "functions")?.params ?? []).map(parameterName);
      const code = node.arguments[names.indexOf("code")];
      if (code !== undefined) return [[code, node.arguments[names.indexOf("summary")]]];
      // A function with rest parameters does not name its arguments, so they are recognized by their form.
      return node.arguments.flatMap((each, index) => {
        const next = node.arguments[index + 1];
        const isCode = /_/.test(each.value) && CODE.test(each.value) && !each.value.startsWith(METRIC);
        return isCode && /^[A-Z].* /.test(next?.value) ? [[each, next]] : [];
      });
    }
    // The codes of the YAML parser.
    case "SwitchCase":
      return /^[A-Z]+_/.test(node.test?.value) && file.functions.has("adviceOn") && returned(node) !== null
        ? [[literal(`yaml_${node.test.value.toLowerCase()}`), returned(node)]]
        : [];
    default:
      return [];
  }
}

function literal(value) {
  return { type: "Literal", value };
}

/** What a case returns, by itself or by falling through to a later case. */
function returned(node) {
  const { cases } = node.parent;
  const { argument } = cases.slice(cases.indexOf(node)).find(({ consequent }) => consequent.length > 0)
    .consequent[0];
  return argument.value === undefined ? argument : null;
}

/** The possible texts of an expression. */
function valuesOf(node, file, look) {
  const of = (each) => valuesOf(each, file, look);
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? [node.value] : [];
    case "TemplateLiteral":
      return [node.quasis.map(({ value }, index) => value.cooked + shown(node.expressions[index])).join("")];
    case "ConditionalExpression":
      return [node.consequent, node.alternate].flatMap(of);
    case "ArrayExpression":
      return of(node.elements[0]);
    case "TSAsExpression":
      return of(node.expression);
    case "Identifier": {
      const constant = file.constants.findLast(
        ({ id, start }) => id.name === node.name && start < node.start,
      );
      const own = constant ?? file.constants.find(({ id }) => id.name === node.name);
      return own === undefined ? [look(node.name, "texts") ?? []].flat() : of(own.init);
    }
    case "TaggedTemplateExpression":
      return of(node.quasi);
    case "CallExpression": {
      if (node.callee.name === "textOf") return of(node.arguments[0]);
      const called = file.functions.get(node.callee.name);
      return called === undefined
        ? []
        : file.nodes.filter((each) => isReturnOf(each, called)).flatMap(({ argument }) => of(argument));
    }
    default:
      return [];
  }
}

function isReturnOf({ type, start, end }, called) {
  return type === "ReturnStatement" && called.start < start && end < called.end;
}

/** The placeholder for an inserted value. */
function shown(expression) {
  if (expression === undefined) return "";
  return ["quoted", "stringify"].includes(expression.callee?.name ?? expression.callee?.property?.name)
    ? '"…"'
    : "…";
}
