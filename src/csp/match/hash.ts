/**
 * A source's hash as browsers compare it: algorithm and bytes, however its base64 is spelt (with `-` and `_`, without
 * padding). Null where it is not base64, as with more padding than its length asks for.
 */
export function hashKey(algorithm: string, digest: string): string | null {
  return excessPadding(digest) > 0 ? null : bytesKey(algorithm, digest);
}

/** How many `=` at the end are too many. */
export function excessPadding(digest: string): number {
  const chars = unpadded(digest).length;
  return Math.max(0, digest.length - 4 * Math.ceil(chars / 4));
}

function bytesKey(algorithm: string, digest: string): string | null {
  const standard = unpadded(digest).replaceAll("-", "+").replaceAll("_", "/");
  return standard.length % 4 === 1 ? null : `${algorithm}-${atob(standard)}`;
}

function unpadded(digest: string): string {
  return digest.replace(/=+$/, "");
}

/**
 * The hashes that an `integrity` attribute asks for. A browser skips what is no hash; one that cannot be decoded
 * is kept as null, and no policy lists it. So is what asks for no hash that a file can have: it is never loaded. Here padding does not count, however much of it there is.
 */
export function integrityHashes(integrity: string): readonly (string | null)[] {
  const asked = integrity.split(/[\t\n\f\r ]+/).flatMap((token) => {
    const [, bits, digest] = /^sha-?(256|384|512)-([a-zA-Z0-9+/_-]+)=*(?:\?[!-~]*)?$/.exec(token) ?? [];
    return bits === undefined || digest === undefined ? [] : [bytesKey(`sha${bits}`, digest)];
  });
  const mayLoad = asked.some((key) => key !== null && isOfWholeLength(key));
  return mayLoad ? asked : asked.map(() => null);
}

/** A hash that is too short or too long is nobody's. */
export function isOfWholeLength(key: string): boolean {
  const [algorithm = ""] = /^[^-]*/.exec(key) ?? [];
  return key.length === algorithm.length + 1 + (DIGEST_BYTES.get(algorithm) ?? 0);
}

export const DIGEST_BYTES: ReadonlyMap<string, number> = new Map([
  ["sha256", 32],
  ["sha384", 48],
  ["sha512", 64],
]);
