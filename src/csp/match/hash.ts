/**
 * A hash as browsers compare it: algorithm and bytes, however its base64 is spelt (with `-` and `_`, without padding).
 * Null where it is not base64.
 */
export function hashKey(algorithm: string, digest: string): string | null {
  const standard = digest.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  return standard.length % 4 === 1 ? null : `${algorithm}-${atob(standard)}`;
}

/**
 * The hashes that an `integrity` attribute asks for. A browser skips what is no hash; one that cannot be decoded
 * is kept as null, and no policy lists it.
 */
export function integrityHashes(integrity: string): readonly (string | null)[] {
  return integrity.split(/[\t\n\f\r ]+/).flatMap((token) => {
    const [, bits, digest] = /^sha-?(256|384|512)-([a-zA-Z0-9+/_-]+={0,2})(?:\?[!-~]*)?$/.exec(token) ?? [];
    return bits === undefined || digest === undefined ? [] : [hashKey(`sha${bits}`, digest)];
  });
}
