import { bitsOfOctets, ipLength, networkOf, parseIp } from "../ip.js";
import type { Ip, Range } from "../tree.js";
import { type Reader, refuse } from "./reader.js";

/** One address: what comparisons take. */
export function readIp(reader: Reader): Ip {
  const start = reader.at;
  return addressIn(reader, readChunk(reader), start);
}

/** An element of `{…}`: an address, a network, or a range. */
export function readIpRange(reader: Reader): Range {
  const start = reader.at;
  const chunk = readChunk(reader);
  const dots = chunk.indexOf("..");
  return dots === -1 ? networkIn(reader, chunk, start) : rangeIn(reader, chunk, start, dots);
}

/** All that addresses are made of, as the engine reads them, so that all of a wrong one is refused. */
function readChunk(reader: Reader): string {
  const { text, at: start } = reader;
  while (/[0-9a-fA-F:./]/.test(text[reader.at] ?? "")) reader.at += 1;
  if (reader.at === start) refuse(reader, { code: "expected_address" });
  return text.slice(start, reader.at);
}

function addressIn(reader: Reader, text: string, start: number): Ip {
  return (
    parseIp(text) ?? refuse(reader, { code: "invalid_address", address: text }, start, start + text.length)
  );
}

function rangeIn(reader: Reader, chunk: string, start: number, dots: number): Range {
  const from = addressIn(reader, chunk.slice(0, dots), start);
  const to = addressIn(reader, chunk.slice(dots + 2), start + dots + 2);
  if (from.version !== to.version || to.bits < from.bits) {
    refuse(reader, { code: "reversed_range" }, start, reader.at);
  }
  reader.spellings.push("range");
  return { type: "Ip", from, to };
}

function networkIn(reader: Reader, chunk: string, start: number): Range {
  const slash = chunk.lastIndexOf("/");
  const text = slash === -1 ? chunk : chunk.slice(0, slash);
  const address =
    parseIp(text) ??
    shortIp(text) ??
    refuse(reader, { code: "invalid_address", address: text }, start, start + text.length);
  const most = ipLength(address.version);
  const prefix = slash === -1 ? most : prefixIn(reader, chunk.slice(slash + 1), start + slash + 1);
  if (prefix > most) refuse(reader, { code: "prefix_too_long", most }, start, reader.at);
  const network = networkOf(address, prefix);
  if (network !== null) return { type: "Ip", ...network };
  return refuse(reader, { code: "host_bits", network: chunk }, start, start + text.length);
}

function prefixIn(reader: Reader, text: string, start: number): number {
  const prefix = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!(prefix <= 255)) refuse(reader, { code: "invalid_prefix", prefix: text }, start, reader.at);
  return prefix;
}

/** The engine's library fills up `10.1` with zeros, and allows leading ones; only here, not in `eq` or in ranges. */
function shortIp(text: string): Ip | null {
  const parts = text.split(".", 5);
  if (parts.length > 4 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255)) return null;
  return { version: 4, bits: bitsOfOctets([...parts, "0", "0", "0"].slice(0, 4)) };
}
