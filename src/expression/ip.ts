import { isIPv4, isIPv6 } from "node:net";
import type { Ip } from "./tree.js";

/** An address as Rust's standard library reads it: no leading zeros in IPv4, no zone in IPv6. */
export function parseIp(text: string): Ip | null {
  if (isIPv4(text)) return { version: 4, bits: bitsOfOctets(text.split(".")) };
  return isIPv6(text) && !text.includes("%") ? { version: 6, bits: bitsOf6(text) } : null;
}

/** The shortest usual form (RFC 5952). */
export function formatIp({ version, bits }: Ip): string {
  return version === 4 ? format4(bits) : format6(bits);
}

/** The number of bits of an address. */
export function ipLength(version: Ip["version"]): number {
  return version === 4 ? 32 : 128;
}

/** The network of an address and a prefix length. Null: the address has bits beyond the prefix. */
export function networkOf(
  { version, bits }: Ip,
  prefix: number,
): { readonly from: Ip; readonly to: Ip } | null {
  const hostMask = (1n << BigInt(ipLength(version) - prefix)) - 1n;
  if ((bits & hostMask) !== 0n) return null;
  return { from: { version, bits }, to: { version, bits: bits | hostMask } };
}

/** Decimal octets, at most 255 each. */
export function bitsOfOctets(octets: readonly string[]): bigint {
  return octets.reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n);
}

function bitsOf6(text: string): bigint {
  const [before = [], after = []] = compressed(text)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

/** URLs have one spelling for each address, without IPv4 parts. */
function compressed(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function format4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join(".");
}

function format6(bits: bigint): string {
  if (bits >> 32n === 0xffffn) return `::ffff:${format4(bits & 0xffffffffn)}`;
  const groups = Array.from({ length: 8 }, (_, index) => (bits >> BigInt(112 - 16 * index)) & 0xffffn);
  return compressed(groups.map((group) => group.toString(16)).join(":"));
}
