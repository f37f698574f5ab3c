import { inputText, type StepEnvironment } from "./inputs.js";

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
 * What commands may see of the environment: files can ask for values of it, and those of a pull request must not get at
 * what belongs to the run itself.
 */
export function commandEnvironment(environment: StepEnvironment): StepEnvironment {
  const own = Object.entries(environment).filter(([name]) => !OF_THE_RUN.test(name));
  const token = inputText(environment, "api-token");
  return { ...Object.fromEntries(own), ...(token === "" ? {} : { CLOUDFLARE_API_TOKEN: token }) };
}

const OF_THE_RUN = /^(?:INPUT_|ACTIONS_|GITHUB_TOKEN$|GH_TOKEN$)/i;

export function hasCredential(environment: StepEnvironment): boolean {
  const { CLOUDFLARE_API_TOKEN = "", CLOUDFLARE_API_KEY = "" } = commandEnvironment(environment);
  return CLOUDFLARE_API_TOKEN !== "" || CLOUDFLARE_API_KEY !== "";
}
