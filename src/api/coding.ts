import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Failure } from "./problems.js";

export type Decoded =
  | { readonly as: "bytes"; readonly bytes: Buffer }
  | { readonly as: "broken"; readonly how: Failure; readonly why: string };

/**
 * A body without its content coding. The program asks for none, and something in between may not care. What is packed
 * small may be huge, so the limit is that of what comes out.
 */
export function decoded(body: Buffer, coding: string, limitBytes: number): Decoded {
  const unpack = UNPACK[coding.toLowerCase()];
  if (coding === "" || /^identity$/i.test(coding) || body.length === 0) return { as: "bytes", bytes: body };
  if (unpack === undefined)
    return { as: "broken", how: "not_json", why: "its body is packed in an unknown way" };
  try {
    return { as: "bytes", bytes: unpack(body, { maxOutputLength: limitBytes }) };
  } catch (cause) {
    // Of what is no packed data at all, the error is of another kind.
    return cause instanceof RangeError
      ? { as: "broken", how: "response_too_large", why: "its body is larger once it is unpacked" }
      : { as: "broken", how: "truncated_json", why: "its body cannot be unpacked" };
  }
}

const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};
