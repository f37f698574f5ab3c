import { isLoopback } from "../model/url.js";

/** The zone of a host: the longest zone name that equals the host or is a parent domain of it. */
export function zoneOf(host: string, names: ReadonlySet<string>): string | null {
  // No real host is longer. A host with very many labels would need as many lookups.
  if (host.length > MOST_HOST_CHARS) return null;
  let name = host.replace(/:\d*$/, "").replace(/\.$/, "");
  while (name !== "") {
    if (names.has(name)) return name;
    const dot = name.indexOf(".");
    name = dot === -1 ? "" : name.slice(dot + 1);
  }
  return null;
}

const MOST_HOST_CHARS = 300;

/** Whether software on the visitor's machine inserted the load, and not the page's author. */
export function isInjected({ hostname }: { readonly hostname: string }): boolean {
  return isLoopback(hostname) || PROGRAMS.some((name) => hostname === name || hostname.endsWith(`.${name}`));
}

/** Virus scanners, ad blockers and toolbars that insert their own scripts into every page. */
const PROGRAMS = [
  "scr.kaspersky-labs.com",
  "local.adguard.org",
  "local.adguard.com",
  "injections.adguard.org",
  "superfish.com",
];
