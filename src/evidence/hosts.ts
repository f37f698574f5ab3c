import { isLoopback } from "../model/url.js";

/** The zone with the longest name that is the host, or that the host is below. */
export function zoneOf(host: string, names: ReadonlySet<string>): string | null {
  // No host is longer, and one of very many labels would be looked up for each of them.
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

/** A load of something that a program on the visitor's own machine has put into the page, and not the page's author. */
export function isInjected({ hostname }: { readonly hostname: string }): boolean {
  return isLoopback(hostname) || PROGRAMS.some((name) => hostname === name || hostname.endsWith(`.${name}`));
}

/** Of virus scanners, blockers and toolbars that put their own scripts into each page. */
const PROGRAMS = [
  "scr.kaspersky-labs.com",
  "local.adguard.org",
  "local.adguard.com",
  "injections.adguard.org",
  "superfish.com",
];
