import { wholeDomain } from "./verdicts.js";

/**
 * For names below which enough of the hosts are, all hosts below them: source → the source in its place. Never below a name
 * where anybody can have a host, as far as that is known here; sources with a path stay.
 *
 * @param least from how many hosts on
 */
export function foldHosts(sources: readonly string[], least: number): ReadonlyMap<string, string> {
  const below = new Map<string, Set<string>>();
  for (const source of sources) {
    const wide = wildcardOf(source);
    if (wide !== null) below.set(wide, (below.get(wide) ?? new Set()).add(source));
  }
  return new Map(
    sources.map((source) => {
      const wide = wildcardOf(source);
      const isEnough = wide !== null && (below.get(wide)?.size ?? 0) >= least;
      return [source, isEnough ? wide : source];
    }),
  );
}

/** `https://*.cdn.example` of `https://a.cdn.example`; null: of hosts below its name anybody can have one. */
function wildcardOf(source: string): string | null {
  const [, scheme = "", parent, port = ""] = HOST.exec(source) ?? [];
  return parent === undefined || isShared(parent) ? null : `${scheme}*.${parent}${port}`;
}

const HOST = /^([a-z]+:\/\/)?[^./:*']+\.([^/:]+)(:\d+)?$/;

/** Whether anybody can have a host below it. Not all such names are known here. */
function isShared(written: string): boolean {
  const parent = written.replace(/\.$/, "");
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

/** Of firms that give their customers hosts below names of their own. */
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
