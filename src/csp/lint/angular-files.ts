import { type Csp, Directive } from "csp_evaluator/dist/csp.js";
import { Severity, Type, Finding as Verdict } from "csp_evaluator/dist/finding.js";
import { readSource } from "../source.js";

/** Verdicts on the files of AngularJS in whatever version; the package knows a few versions alone. */
export function checkAngularFiles(csp: Csp): Verdict[] {
  return csp
    .getEffectiveDirectives([Directive.SCRIPT_SRC, Directive.SCRIPT_SRC_ELEM])
    .flatMap((directive) =>
      (csp.directives[directive] ?? [])
        .filter(isAngularFile)
        .map(
          (word) =>
            new Verdict(Type.SCRIPT_ALLOWLIST_BYPASS, "Angular libraries", Severity.HIGH, directive, word),
        ),
    );
}

/** Such a file, or the folder of a version, on a host that has them all. */
export function isAngularFile(word: string): boolean {
  const source = readSource(word);
  return source.form === "host" && (PATHS.get(source.host)?.test(source.path) ?? false);
}

const IN_LIBS = /^\/ajax\/libs\/angular\.?js\/1\.[\w.-]+\/(?:angular(?:\.min)?\.js)?$/;

const PATHS: ReadonlyMap<string, RegExp> = new Map([
  ["ajax.googleapis.com", IN_LIBS],
  ["cdnjs.cloudflare.com", IN_LIBS],
  ["cdn.jsdelivr.net", /^\/npm\/angular@1[\w.-]*(?:\/(?:angular(?:\.min)?\.js)?)?$/],
  ["unpkg.com", /^\/angular@1[\w.-]*(?:\/(?:angular(?:\.min)?\.js)?)?$/],
  ["code.angularjs.org", /^\/1\.[\w.-]+\/(?:angular(?:\.min)?\.js)?$/],
]);
