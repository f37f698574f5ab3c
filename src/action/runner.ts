import { randomUUID } from "node:crypto";
import { appendFile, stat } from "node:fs/promises";
import { inputText, type StepEnvironment } from "./inputs.js";

/** GitHub's runner, as a step talks to it. */
export interface Runner {
  /** Text for the log. Nothing in it is taken for a command. */
  log(text: string): void;
  /** Workflow commands, one a line, already escaped. */
  command(lines: string): void;
  /** From now on the runner itself hides these in its log. */
  mask(secrets: readonly string[]): void;
  outputs(values: Readonly<Record<string, string>>): Promise<void>;
  /** Adds to the summary of the step. */
  summary(markdown: string): Promise<void>;
}

/** More than this the runner throws away, all of it. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

/**
 * @param write to the log
 * @param hide takes out of all that is said what nobody may see
 */
export function openRunner(
  environment: StepEnvironment,
  write: (text: string) => void,
  hide: (text: string) => string,
): Runner {
  return {
    log(text) {
      // What files and the service say is escaped where it is shown. Should one ever slip through, nobody listens.
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

function escapedData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** The runner hides whole lines of its log: a mask of several lines would match none. */
function linesOf(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line.length >= MIN_MASK_CHARS);
}

/** A shorter one would hide parts of words. */
const MIN_MASK_CHARS = 4;

/** The delimiter is chance, so that no value can end its own output and begin another. */
function output(name: string, value: string): string {
  const end = `ghadelimiter_${randomUUID()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** What a step was given that nobody may see. */
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

/**
 * What a run may see of the environment: files can ask for values of it, and those of a pull request must not get at
 * what belongs to the run itself.
 */
export function environmentOfRun(environment: StepEnvironment): StepEnvironment {
  const own = Object.entries(environment).filter(([name]) => !OF_THE_RUN.test(name));
  const token = inputText(environment, "api-token");
  return { ...Object.fromEntries(own), ...(token === "" ? {} : { CLOUDFLARE_API_TOKEN: token }) };
}

const OF_THE_RUN = /^(?:INPUT_|ACTIONS_|GITHUB_TOKEN$|GH_TOKEN$)/i;

export function hasCredential(environment: StepEnvironment): boolean {
  const { CLOUDFLARE_API_TOKEN = "", CLOUDFLARE_API_KEY = "" } = environmentOfRun(environment);
  return CLOUDFLARE_API_TOKEN !== "" || CLOUDFLARE_API_KEY !== "";
}
