import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { selfSigned } from "./certificate.js";

/** The site's answer to the request of a page. */
export interface Page {
  readonly html: string;
  /** The values of each header, in order. */
  readonly enforced: readonly string[];
  readonly reportOnly: readonly string[];
}

export interface Site {
  readonly port: number;
  close(): void;
}

/**
 * A site that answers for every host, on one port for http, https, ws and wss. It serves the requested pages. Any other URL is
 * a script that does nothing.
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
    port: (door.address() as AddressInfo).port, // a TCP server has a port
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
  // As bytes. Node would send the headers together with a text as UTF-8.
  response.end(Buffer.from(html));
}

/** Node writes each character of a header as one byte. */
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

/** Opens a WebSocket by RFC 6455 and sends nothing. */
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
