import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface Validity {
  readonly from: Date;
  readonly until: Date;
}

const DAY_MS = 86_400_000;

const THIS_WEEK: Validity = {
  from: new Date(Date.now() - DAY_MS),
  until: new Date(Date.now() + 7 * DAY_MS),
};

/** A certificate that expired yesterday. */
export const LAST_WEEK: Validity = {
  from: new Date(Date.now() - 8 * DAY_MS),
  until: new Date(Date.now() - DAY_MS),
};

/**
 * A self-signed certificate for a host name or an IPv4 address. Node makes keys and signatures, but no certificates, so this
 * writes the few required fields of RFC 5280.
 */
export function selfSigned(host: string, { from, until }: Validity = THIS_WEEK): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(host)))));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(sequence(ALTERNATIVE_NAMES, tagged(0x04, sequence(alternativeName(host)))))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]);
  const der = sequence(body, sequence(ECDSA_WITH_SHA256), tagged(0x03, signature));
  return { key: pemOf(privateKey), cert: pem("CERTIFICATE", der) };
}

const COMMON_NAME = Buffer.from("0603550403", "hex");
const ALTERNATIVE_NAMES = Buffer.from("0603551d11", "hex");
const ECDSA_WITH_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");

function alternativeName(host: string): Buffer {
  return /^[\d.]+$/.test(host)
    ? tagged(0x87, Buffer.from(host.split(".").map(Number)))
    : tagged(0x82, Buffer.from(host));
}

/** Without milliseconds. */
function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, "").slice(0, 14)}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
