import { request } from "node:http";
import type { Emulator } from "../../src/emulator/index.js";
import type { Json } from "../../src/model/json.js";

/** What a plain HTTP client sees of an answer. */
export interface Seen {
  /** `broken`: the connection ended before the answer was complete. `silent`: no answer in time. */
  readonly as: "answered" | "broken" | "silent";
  /** null: no head arrived. */
  readonly status: number | null;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
  /** The code of the connection error. */
  readonly code: string | null;
  /** The time from the head to the end of the body. */
  readonly bodyMs: number;
}

/** Sends a request with the emulator's token over its own connection. */
export function raw(
  { url, token }: Emulator,
  method: string,
  path: string,
  body: Json | null,
  patienceMs = 10_000,
): Promise<Seen> {
  return new Promise((resolve) => {
    let seen: Seen = { as: "silent", status: null, headers: {}, text: "", code: null, bodyMs: 0 };
    const end = (as: Seen["as"], code: string | null = null) => {
      clearTimeout(timer);
      resolve({ ...seen, as, code });
      sent.destroy();
    };
    const sent = request(
      url + path,
      { method, headers: { authorization: `Bearer ${token}` }, agent: false },
      (response) => {
        const begunMs = performance.now();
        seen = { ...seen, status: response.statusCode ?? null, headers: response.headers };
        response.setEncoding("utf8").on("data", (text: string) => {
          seen = { ...seen, text: seen.text + text, bodyMs: performance.now() - begunMs };
        });
        response.on("end", () => end("answered"));
        response.on("error", (error: NodeJS.ErrnoException) => end("broken", error.code ?? null));
      },
    );
    sent.on("error", (error: NodeJS.ErrnoException) => end("broken", error.code ?? null));
    const timer = setTimeout(() => end("silent"), patienceMs);
    sent.end(body === null ? undefined : JSON.stringify(body));
  });
}
