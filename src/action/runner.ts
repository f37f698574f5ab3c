import { randomUUID } from "node:crypto";
import { appendFile, stat } from "node:fs/promises";
import { escapedData } from "../render/annotations.js";
import { inputText, type StepEnvironment } from "./inputs.js";

/** GitHub's runner, as a step uses it. */
export interface Runner {
  /** Writes to the log. Workflow commands in the text have no effect. */
  log(text: string): void;
  /** Workflow commands, one per line, already escaped. */
  command(lines: string): void;
  /** From now on, the runner hides these texts in its log. */
  mask(secrets: readonly string[]): void;
  outputs(values: Readonly<Record<string, string>>): Promise<void>;
  summary(markdown: string): Promise<void>;
}

/** The runner drops a larger summary entirely. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

export function openRunner(
  environment: StepEnvironment,
  write: (text: string) => void,
  hide: (text: string) => string,
): Runner {
  return {
    log(text) {
      // Texts are escaped already. This second barrier makes the runner ignore commands in them.
      const token = randomUUID();
      write(`::stop-commands::${token}\n${withEnd(hide(text))}::${token}::\n`);
    },
    command(lines) {
      if (lines !== "") write(withEnd(hide(lines)));
    },
    mask(secrets) {
      for (const secret of secrets.flatMap(linesOf)) write(`::add-mask::${escapedData(secret)}\n`);
    },
    async outputs(values) {
      const file = environment.GITHUB_OUTPUT ?? "";
      if (file === "") return;
      await appendFile(
        file,
        Object.entries(values)
          .map(([name, value]) => output(name, hide(value)))
          .join(""),
      );
    },
    async summary(markdown) {
      const file = environment.GITHUB_STEP_SUMMARY ?? "";
      if (file === "") return;
      const text = withEnd(hide(markdown));
      const before = await stat(file).then(
        ({ size }) => size,
        () => 0,
      );
      if (before + Buffer.byteLength(text) <= MAX_SUMMARY_BYTES) await appendFile(file, text);
    },
  };
}

/** The runner masks single lines: a mask of several lines would match nothing. */
function linesOf(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line.length >= MIN_MASK_CHARS);
}

/** A shorter mask would hide parts of words. */
const MIN_MASK_CHARS = 4;

/** A random delimiter, so that no value can end its own output and begin another. */
function output(name: string, value: string): string {
  const end = `ghadelimiter_${randomUUID()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The secrets that a step was given. */
export function secretsIn(environment: StepEnvironment): readonly string[] {
  const values = [
    inputText(environment, "api-token"),
    inputText(environment, "github-token"),
    environment.CLOUDFLARE_API_TOKEN ?? "",
    environment.CLOUDFLARE_API_KEY ?? "",
    environment.GITHUB_TOKEN ?? "",
  ];
  return [...new Set(values.filter((value) => value !== ""))];
}

/** The environment that files may read. The files of a pull request must not get at the runner's own tokens. */
export function environmentOfRun(environment: StepEnvironment): StepEnvironment {
  const visible = Object.entries(environment).filter(([name]) => !OF_THE_RUN.test(name));
  const token = inputText(environment, "api-token");
  return { ...Object.fromEntries(visible), ...(token === "" ? {} : { CLOUDFLARE_API_TOKEN: token }) };
}

const OF_THE_RUN = /^(?:INPUT_|ACTIONS_|GITHUB_TOKEN$|GH_TOKEN$)/i;

export function hasCredential(environment: StepEnvironment): boolean {
  const { CLOUDFLARE_API_TOKEN = "", CLOUDFLARE_API_KEY = "" } = environmentOfRun(environment);
  return CLOUDFLARE_API_TOKEN !== "" || CLOUDFLARE_API_KEY !== "";
}
