import { suggest } from "../../model/suggest.js";
import type { Mistake } from "./mistake.js";

/** A scheme from which browsers load nothing. Others may be an app's own. */
export function schemeMistake(text: string, scheme: string): Mistake | null {
  if (DEAD.has(scheme)) return unusable(`Browsers load nothing over ${scheme}:`, text, "Remove it.");
  if (WEB.has(scheme) || !LIKE_HTTP.test(scheme)) return null;
  const meant = suggest(scheme, WEB);
  return meant === null
    ? null
    : unusable(`\`${scheme}:\` is no scheme of the web`, text, `Did you mean \`${meant}:\`?`);
}

function unusable(why: string, text: string, advice: string): Mistake {
  return { code: "csp_unknown_scheme", message: `${why}, so that \`${text}\` matches nothing. ${advice}` };
}

const WEB: ReadonlySet<string> = new Set(["http", "https"]);
const DEAD: ReadonlySet<string> = new Set(["ftp", "ftps", "sftp", "gopher"]);

/** What only a slip of the hand makes. */
const LIKE_HTTP = /^(?:h+t|tt|hxx)/;
