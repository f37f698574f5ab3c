import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type Answers, keyOf } from "./hostile-state.js";

/** The answer to a write. */
export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

export function refusing(text: string, status = 400): Reply {
  const errors = [
    { code: text, message: text, error_chain: [{ code: text, message: text }], [keyOf(text)]: text },
    { code: 1002, message: text },
  ];
  return (_, response) => {
    // A header can contain single-byte characters except the first control characters.
    response.setHeader("cf-ray", text.replace(/[^\x20-\x7e\x80-\xff]/g, "").slice(0, 1_000));
    response
      .writeHead(status)
      .end(JSON.stringify({ success: false, errors, messages: [text], result: null }));
  };
}

const taking: Reply = (_, response) => {
  response.end(JSON.stringify({ success: true, errors: [], messages: [], result: { id: "99" } }));
};

/** A service with this state, which calls do not change. */
export async function serving(state: Answers, reply: Reply = taking) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    request.resume();
    const path = (request.url ?? "").replace(/^\/client\/v4/, "").replace(/\?.*$/, "");
    if (request.method !== "GET" || !Object.hasOwn(state, path)) return reply(request, response);
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result: state[path] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  const env = { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_BASE_URL: `http://127.0.0.1:${port}/client/v4` };
  return { env, paths };
}
