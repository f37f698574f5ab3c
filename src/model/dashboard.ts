/**
 * Where somebody who is logged in at the service looks at an object: a page of its zone in the dashboard. Where the account
 * is not known, or the zone's name is none that can stand in an address as it is, the page that lets people choose both, as
 * the service's documentation links to its dashboard.
 *
 * @param place below the zone: `security/settings`
 */
export function inDashboard(place: string, zone: string, accountId: string | undefined): string {
  const direct = `${accountId}/${zone}`;
  return `${DASHBOARD}${DIRECT.test(direct) ? direct : CHOSEN}/${place}`;
}

const DASHBOARD = "https://dash.cloudflare.com/";
const CHOSEN = "?to=/:account/:zone";

const ID = "[0-9a-f]{32}";
const NAME = String.raw`[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,126}`;
const DIRECT = new RegExp(`^${ID}/${NAME}$`);

/** The addresses that plan documents have, and no others: nothing in one is a sign of HTML, Markdown or a terminal. */
export const DASHBOARD_ADDRESS = String.raw`^https://dash\.cloudflare\.com/(?:\?to=/:account/:zone|${ID}/${NAME})(?:/[a-z0-9_-]{1,40}){1,4}$`;
