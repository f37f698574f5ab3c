import type { ClientRequest } from "node:http";
import { isIP, type Socket } from "node:net";
import type { Failure } from "./problems.js";

/** Proxies from the environment. Empty: none. */
export interface Proxies {
  readonly https: string;
  readonly http: string;
  /** Hosts reached directly, as `NO_PROXY` lists them. */
  readonly except: string;
}

/** The proxy for an address; null: none. A proxy set only for `http:` serves all addresses. */
export function proxyFor(origin: string, { https, http, except }: Proxies): URL | null {
  const address = https === "" ? http : https;
  return address === "" || isExcepted(new URL(origin), except) ? null : new URL(address);
}

/** An entry covers a host and its subdomains, with or without a leading dot or `*.`; with a port, only that port. */
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

/**
 * Asks a proxy for a tunnel. Undici's proxy agent does not fit: it drops a user without a password, accepts only 200
 * for a tunnel, and tells a refusal by the proxy (407, final) from an unreachable service (502, may pass) only in the
 * text of its error.
 *
 * @param target host and port
 * @param onEnd called once
 */
export function openTunnel(
  proxy: URL,
  target: string,
  timeoutMs: number,
  onEnd: (outcome: Socket | Error) => void,
): void {
  const request = connectRequest(proxy, target);
  const timer = setTimeout(
    () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  request.once("connect", ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    clearTimeout(timer);
    // From here on, errors belong to the user of the socket.
    socket.on("error", () => {});
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      onEnd(socket);
      return;
    }
    socket.destroy();
    // A proxy that cannot reach the service may reach it later. A proxy that refuses keeps refusing.
    const failure = statusCode >= 500 ? "proxy_failed" : "proxy_refused";
    onEnd(proxyError(failure, `the proxy ${proxy.origin} answered with HTTP ${statusCode}`));
  });
  request.once("error", (cause) => {
    clearTimeout(timer);
    onEnd(proxyError("proxy_failed", `the proxy ${proxy.origin} cannot be reached: ${cause.message}`, cause));
  });
  request.end();
}

function connectRequest(proxy: URL, target: string): ClientRequest {
  const user = userInfo(proxy);
  const headers = { host: target, "proxy-connection": "keep-alive" };
  const hostname = proxy.hostname.replace(/^\[|\]$/g, "");
  const options = {
    hostname,
    port: proxy.port,
    method: "CONNECT",
    path: target,
    headers: user === "" ? headers : { ...headers, "proxy-authorization": `Basic ${user}` },
    agent: false,
  };
  // Loaded only here: either module would slow down every start.
  if (proxy.protocol === "http:") return process.getBuiltinModule("node:http").request(options);
  // By default, Node would compare the proxy's certificate with the host behind the tunnel.
  const servername = isIP(hostname) === 0 ? hostname : "";
  return process.getBuiltinModule("node:https").request({ ...options, servername });
}

/** User and password in base64. A missing password is empty. */
function userInfo({ username, password }: URL): string {
  if (username === "" && password === "") return "";
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return Buffer.from(user).toString("base64");
}

/** The failure is the error's `code`, as in Node's own errors. */
function proxyError(code: Extract<Failure, `proxy_${string}`>, message: string, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { code });
}
