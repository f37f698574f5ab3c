import type { Ip } from "./tree.js";

/** An address as Rust's standard library reads it: no leading zeros in IPv4, no zone in IPv6. */
export function parseIp(text: string): Ip | null {
  const bits = text.includes(":") ? bitsOf6(text) : bitsOf4(text);
  return bits === null ? null : { version: text.includes(":") ? 6 : 4, bits };
}

/** The shortest usual form (RFC 5952). */
export function formatIp(ip: Ip): string {
  return ip.version === 4 ? format4(ip.bits) : format6(ip.bits);
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

function bitsOf4(text: string): bigint | null {
  const parts = text.split(".", 5);
  if (
    parts.length !== 4 ||
    !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  ) {
    return null;
  }
  return bitsOfOctets(parts);
}

/** Decimal octets, at most 255 each. */
export function bitsOfOctets(octets: readonly string[]): bigint {
  return octets.reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n);
}

function bitsOf6(text: string): bigint | null {
  const [head = "", tail, ...extra] = text.split("::", 3);
  if (extra.length > 0) return null;
  const before = groupsOf(head, tail === undefined);
  const after = tail === undefined ? [] : groupsOf(tail, true);
  if (before === null || after === null) return null;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...before, ...Array<bigint>(missing).fill(0n), ...after];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** Up to eight groups. At the end of an address, the last two may be written as an IPv4 address. */
function groupsOf(text: string, mayEndIn4: boolean): readonly bigint[] | null {
  if (text === "") return [];
  const parts = text.split(":", 9);
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else {
      const bits = mayEndIn4 && index === parts.length - 1 ? bitsOf4(part) : null;
      if (bits === null) return null;
      groups.push(bits >> 16n, bits & 0xffffn);
    }
  }
  return groups;
}

function format4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join(".");
}

function format6(bits: bigint): string {
  if (bits >> 32n === 0xffffn) return `::ffff:${format4(bits & 0xffffffffn)}`;
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  );
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return groups.join(":");
  const head = groups.slice(0, zeros.start).join(":");
  return `${head}::${groups.slice(zeros.start + zeros.length).join(":")}`;
}

/** The first of the longest runs of `0`. */
function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === "0" ? length + 1 : 0;
    if (length > longest.length) longest = { start: index + 1 - length, length };
  }
  return longest;
}
