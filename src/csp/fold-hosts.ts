import { wholeDomain } from "./verdicts.js";

/**
 * Replaces many hosts below one name by a wildcard: source → its replacement. A name whose subdomains are open to
 * anyone is never used, as far as such names are known here. Sources with a path stay.
 *
 * @param least the number of hosts that is enough for a wildcard
 */
export function foldHosts(sources: readonly string[], least: number): ReadonlyMap<string, string> {
  const byWildcard = new Map<string, Set<string>>();
  for (const source of sources) {
    const wildcard = wildcardOf(source);
    if (wildcard !== null) byWildcard.set(wildcard, (byWildcard.get(wildcard) ?? new Set()).add(source));
  }
  return new Map(
    sources.map((source) => {
      const wildcard = wildcardOf(source);
      const isEnough = wildcard !== null && (byWildcard.get(wildcard)?.size ?? 0) >= least;
      return [source, isEnough ? wildcard : source];
    }),
  );
}

/** `https://*.cdn.example` for `https://a.cdn.example`. Null: anyone can get a host below that name. */
function wildcardOf(source: string): string | null {
  const [, scheme = "", parent, port = ""] = HOST.exec(source) ?? [];
  return parent === undefined || isShared(parent) ? null : `${scheme}*.${parent}${port}`;
}

const HOST = /^([a-z]+:\/\/)?[^./:*']+\.([^/:]+)(:\d+)?$/;

/** Whether anyone can get a host below the name. Not all such names are known here. */
function isShared(host: string): boolean {
  const parent = host.replace(/\.$/, "");
  if (!parent.includes(".") || /^[\d.]+$/.test(parent)) return true;
  if (wholeDomain(`https://*.${parent}`) !== null || OF_REGISTRIES.some((each) => each.test(parent)))
    return true;
  return OF_HOSTERS.some((name) => parent === name || parent.endsWith(`.${name}`));
}

const OF_REGISTRIES: readonly RegExp[] = [
  /^(ac|asn|co|com|edu|gen|go|gob|gov|id|in|ltd|me|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/,
  // Every name below these is a registry of its own.
  /^[^.]+\.(bd|ck|er|fk|jm|kh|mm|np|pg|sch\.uk)$/,
  /^([^.]+\.)?(kawasaki|kitakyushu|kobe|nagoya|sapporo|sendai|yokohama)\.jp$/,
  /^(.+\.)?[a-z]{2}\.us$/,
  /^blogspot\.[a-z.]+$/,
];

/** Firms that give customers hosts below the firm's own names. */
const OF_HOSTERS = [
  ...[
    "amazonaws.com",
    "awsapprunner.com",
    "cloudfront.net",
    "elasticbeanstalk.com",
    "lambda-url.us-east-1.on.aws",
  ],
  ...[
    "azureedge.net",
    "azurefd.net",
    "azurewebsites.net",
    "cloudapp.net",
    "trafficmanager.net",
    "windows.net",
  ],
  ...["appspot.com", "blogspot.com", "firebaseapp.com", "googleusercontent.com", "run.app", "web.app"],
  ...["cdn.cloudflare.net", "pages.dev", "r2.dev", "trycloudflare.com", "workers.dev"],
  ...[
    "akamaihd.net",
    "akamaized.net",
    "b-cdn.net",
    "edgekey.net",
    "edgesuite.net",
    "fastly.net",
    "fastlylb.net",
  ],
  ...[
    "digitaloceanspaces.com",
    "fly.dev",
    "github.io",
    "gitlab.io",
    "glitch.me",
    "herokuapp.com",
    "netlify.app",
  ],
  ...["ngrok.app", "ngrok.io", "onrender.com", "surge.sh", "uk.com", "us.com", "vercel.app"],
  ...[
    "azurestaticapps.net",
    "deno.dev",
    "linodeobjects.com",
    "ondigitalocean.app",
    "railway.app",
    "supabase.co",
  ],
  ...[
    "myshopify.com",
    "squarespace.com",
    "tumblr.com",
    "webflow.io",
    "weebly.com",
    "wixsite.com",
    "wordpress.com",
  ],
];
