/**
 * The address of an object's page in the dashboard. Without the account's id, or with a zone name that does not fit
 * into an address, the page lets people choose both, as in the service's documentation.
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

/** The only addresses in plan documents. They have no character with a meaning in HTML, Markdown or a terminal. */
export const DASHBOARD_ADDRESS = String.raw`^https://dash\.cloudflare\.com/(?:\?to=/:account/:zone|${ID}/${NAME})(?:/[a-z0-9_-]{1,40}){1,4}$`;
