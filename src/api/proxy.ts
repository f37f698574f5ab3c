import type { ClientRequest } from "node:http";
import { isIP, type Socket } from "node:net";
import type { Failure } from "./problems.js";

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

/**
 * Asks a proxy for a tunnel. Undici's own agent for proxies would do, but that it leaves out a user without a password,
 * takes no other answer than 200 for a tunnel, and tells a refusal of the proxy (407) from one that cannot reach the
 * service (502) in the words of its error alone: one is not to be repeated, the other is.
 *
 * @param target host and port
 * @param done called once
 */
export function openTunnel(
  proxy: URL,
  target: string,
  timeoutMs: number,
  done: (outcome: Socket | Error) => void,
): void {
  const request = connectRequest(proxy, target);
  const timer = setTimeout(
    () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  request.once("connect", ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    clearTimeout(timer);
    // From here on, an error is only that of whoever uses the socket.
    socket.on("error", () => {});
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      done(socket);
      return;
    }
    socket.destroy();
    // A proxy that itself cannot reach the service may reach it later; one that refuses goes on refusing.
    const failure = statusCode >= 500 ? "proxy_failed" : "proxy_refused";
    done(proxyError(failure, `the proxy ${proxy.origin} answered with HTTP ${statusCode}`));
  });
  request.once("error", (cause) => {
    clearTimeout(timer);
    done(proxyError("proxy_failed", `the proxy ${proxy.origin} cannot be reached: ${cause.message}`, cause));
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
  // Either is loaded for this alone, and makes each start slower.
  if (proxy.protocol === "http:") return process.getBuiltinModule("node:http").request(options);
  // Unasked, Node would compare the proxy's certificate with the host that the tunnel leads to.
  const servername = isIP(hostname) === 0 ? hostname : "";
  return process.getBuiltinModule("node:https").request({ ...options, servername });
}

/** In base64. An address with a user and no password has an empty one, as everywhere. */
function userInfo({ username, password }: URL): string {
  if (username === "" && password === "") return "";
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return Buffer.from(user).toString("base64");
}

/** With the failure as the code that tells it, as Node's own errors have one. */
function proxyError(code: Extract<Failure, `proxy_${string}`>, message: string, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { code });
}
