import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { selfSigned } from "./certificate.js";

/** What the site answers a page's request with. */
export interface Page {
  readonly html: string;
  /** The values of each header, in its order. */
  readonly enforced: readonly string[];
  readonly reportOnly: readonly string[];
}

export interface Site {
  readonly port: number;
  close(): void;
}

/**
 * A site that is every host there is, on one port for http and https, ws and wss. It has the pages that it is asked
 * to make; whatever else is asked for is a script that does nothing.
 */
export async function startSite(pageFor: (url: URL) => Page | null): Promise<Site> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const page = pageFor(new URL(request.url ?? "/", "http://site.invalid"));
    return page === null ? giveScript(response) : givePage(page, response);
  };
  const plain = createServer(answer).on("upgrade", openSocket);
  const secure = createTlsServer(selfSigned("site.invalid"), answer).on("upgrade", openSocket);
  const sockets = new Set<Socket>();
  const door = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket)));
    socket.once("data", (start: Buffer) => {
      socket.pause().unshift(start);
      (start[0] === TLS_HANDSHAKE ? secure : plain).emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  return {
    port: (door.address() as AddressInfo).port, // it listens on TCP
    close: () => {
      door.close();
      for (const each of sockets) each.destroy();
    },
  };
}

const TLS_HANDSHAKE = 0x16;

function givePage({ html, enforced, reportOnly }: Page, response: ServerResponse): void {
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.setHeader("content-security-policy", enforced.map(onTheWire));
  response.setHeader("content-security-policy-report-only", reportOnly.map(onTheWire));
  // Characters, unlike bytes, would have the headers sent with them, as UTF-8.
  response.end(Buffer.from(html));
}

/** Node writes a header's characters as single bytes. */
function onTheWire(value: string): string {
  return Buffer.from(value).toString("latin1");
}

function giveScript(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/javascript",
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
  });
  response.end(";");
}

/** Opens a WebSocket, as RFC 6455 has it; nothing is said on it. */
function openSocket({ headers }: IncomingMessage, socket: Duplex): void {
  const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "upgrade: websocket",
    "connection: upgrade",
    `sec-websocket-accept: ${createHash("sha1").update(key).digest("base64")}`,
  ];
  socket.on("error", () => {}).on("data", () => {});
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
}
