import { DIGEST_BYTES, excessPadding } from "../match/hash.js";
import type { Mistake } from "./mistake.js";

/** A hash of a length that its algorithm does not have, or with too much padding. */
export function hashMistake(text: string, algorithm: string, digest: string): Mistake | null {
  const wanted = DIGEST_BYTES.get(algorithm) ?? 0;
  const chars = digest.replace(/=+$/, "").length;
  if (chars === Math.ceil((wanted * 4) / 3)) return paddingMistake(text, digest);
  const isHex = chars === wanted * 2 && /^[0-9a-f]+$/i.test(digest);
  const padded = Math.ceil(wanted / 3) * 4;
  const advice = isHex
    ? "this one is written in hexadecimal. Write it in base64."
    : `this one has ${digest.length}. Write the whole hash.`;
  const message = `\`${text}\` matches nothing: after the dash such a hash has ${padded} characters of base64, and ${advice}`;
  return { code: "csp_bad_hash", message };
}

function paddingMistake(text: string, digest: string): Mistake | null {
  const excess = excessPadding(digest);
  if (excess === 0) return null;
  const meant = text.replace("=".repeat(excess), "");
  const message = `\`${text}\` matches nothing: browsers refuse a hash with more \`=\` at its end than its length asks for. Write \`${meant}\`.`;
  return { code: "csp_bad_hash", message };
}
