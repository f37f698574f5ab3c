import { createServer } from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { onTestFinished } from "vitest";
import type { Certificate } from "./certificate.js";

export interface TestProxy {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** The target of each CONNECT, with its `Proxy-Authorization` as text. */
  readonly tunnels: readonly { readonly target: string; readonly user: string; readonly headers: string }[];
}

/**
 * A proxy on loopback that is closed when the test ends. It leads every tunnel to one port of this machine, or answers each
 * CONNECT with a status.
 */
export async function proxyTo(port: number, status: number | null = null): Promise<TestProxy> {
  const tunnels: { target: string; user: string; headers: string }[] = [];
  const server = createServer((_, response) => response.writeHead(501).end());
  const sockets: Socket[] = [];
  server.on("connect", (request, client: Socket) => {
    const { "proxy-authorization": basic = "" } = request.headers;
    const user = Buffer.from(basic.replace(/^Basic /, ""), "base64").toString();
    tunnels.push({ target: request.url ?? "", user, headers: request.rawHeaders.join("\n") });
    if (status !== null) {
      client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`);
      return;
    }
    const upstream = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 Connected\r\n\r\n"));
    sockets.push(client, upstream);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    upstream.pipe(client).pipe(upstream);
  });
  onTestFinished(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  return { host: `127.0.0.1:${await listening(server)}`, tunnels };
}

/** Adds TLS to a port of this machine until the test ends, and gives the TLS port. */
export async function tlsInFrontOf(port: number, { key, cert }: Certificate): Promise<number> {
  const sockets: Socket[] = [];
  const server = createTlsServer({ key, cert }, (client) => {
    const upstream = connect(port, "127.0.0.1");
    sockets.push(client, upstream);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    upstream.pipe(client).pipe(upstream);
  });
  // A client that does not trust the certificate aborts the handshake.
  server.on("tlsClientError", () => {});
  onTestFinished(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  return listening(server);
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)); // a TCP server has a port
  });
}
