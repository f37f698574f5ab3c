/** Where proxies are, as the environment says. Empty: none. */
export interface Proxies {
  readonly https: string;
  readonly http: string;
  /** Hosts that are reached directly, as `NO_PROXY` lists them. */
  readonly except: string;
}

/** The proxy on the way to an address; null: none. One that is set for `http:` alone is good for all addresses. */
export function proxyFor(origin: string, { https, http, except }: Proxies): URL | null {
  const address = https === "" ? http : https;
  return address === "" || isExcepted(new URL(origin), except) ? null : new URL(address);
}

/** An entry stands for a host and all that is below it, with or without a dot or `*.` in front; with a port, for that port. */
function isExcepted({ protocol, hostname, port }: URL, except: string): boolean {
  const ownPort = port === "" ? DEFAULT_PORTS[protocol] : port;
  return except.split(/[\s,]+/).some((entry) => {
    const [, host = "", onPort = ownPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const bare = host.replace(/^\*?\./, "");
    if (bare === "" || onPort !== ownPort) return false;
    return bare === "*" || hostname === bare || hostname.endsWith(`.${bare}`);
  });
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };
