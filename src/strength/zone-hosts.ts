import type { PageHost } from "../csp/inclusion/pages.js";
import { coverage } from "../expression/coverage/coverage.js";
import { listed } from "./listed.js";
import { hasHosts, pagesWhere } from "./page-hosts.js";

/**
 * A zone serves its own name, what is below it, and custom host names that the API does not tell here: of those only
 * such are known as an expression names. Null: the zone is not known.
 */
export type ZoneName = string | null;

/** The part of an expression that is about the zone's own hosts. */
function withinZone(where: string, zone: string): string {
  return `(${where}) and (http.host eq "${zone}" or ends_with(http.host, ".${zone}"))`;
}

/** The same for a host or two that look like some, then for all of them. */
export function withinOwnHosts(where: string, zone: string): readonly string[] {
  return [`(${where}) and http.host in {"${zone}" "www.${zone}"}`, withinZone(where, zone)];
}

/** Whether two different expressions match the same requests to the zone's own hosts. */
export function areSameWithin(zone: string, before: string, after: string): boolean {
  if (before === after) return false;
  const isNamed = before.includes(zone) || after.includes(zone);
  return isNamed && coverage(withinZone(before, zone), withinZone(after, zone)) === "equal";
}

/** Nobody can tell from here whether a zone has custom host names. */
export function customHostWords(zone: string): string {
  return `on the hosts of ${zone} as before, and not on its custom host names, if it has any`;
}

/** What can be said of hosts that expressions name and that are none of the zone's own. */
export function outsideWords(zone: ZoneName, wheres: readonly string[]): string | null {
  if (zone === null) return null;
  const outside = namedHosts(wheres).filter((host) => !isOwn(zone, host));
  if (outside.length === 0) return null;
  const names = [...new Set(outside.map(({ match, text }) => (match === "exact" ? text : `*${text}`)))];
  return names.length === 1
    ? `${listed(names)} is outside of ${zone}: served only as a custom host name`
    : `${listed(names)} are outside of ${zone}: served only as custom host names`;
}

/** Whether the zone can serve a page of that host, by its own name or as expressions name it. */
export function isServed(zone: ZoneName, host: string, wheres: readonly string[]): boolean {
  const page: PageHost = { match: "exact", text: host };
  if (host.startsWith(".")) return false;
  return zone === null || isOwn(zone, page) || namedHosts(wheres).some((each) => hasHosts(each, page));
}

function isOwn(zone: string, host: PageHost): boolean {
  return (host.match === "exact" && host.text === zone) || host.text.endsWith(`.${zone}`);
}

function namedHosts(wheres: readonly string[]): readonly PageHost[] {
  return wheres.flatMap((where) => pagesWhere(where).hosts ?? []);
}
