import { BOOL, type Type, type TypeName, typeNamed } from "./types.js";

interface About {
  /** The Cloudflare plan that includes it, by the documentation. Absent: every plan. */
  readonly plan?: string;
  /** The only place that has it: see `phases.ts`. Absent: everywhere. */
  readonly only?: FieldScope;
  /** Deprecated: the replacing field. */
  readonly replacement?: string;
}

export type FieldScope =
  | "response"
  | "body"
  | "network"
  | "account"
  | "rewrite"
  | "transform"
  | "error_response";

/** The type of a field by its name. `true` and `false` are read as fields too. */
export function fieldType(name: string): Type | undefined {
  return fieldTypes.get(name);
}

/** The value of `true` or `false`. Null: a field. */
export function constantNamed(name: string): boolean | null {
  return name === "true" || name === "false" ? name === "true" : null;
}

/**
 * The fields of the service's documentation (its data file of fields, and pages of products with more), and five that
 * only third-party tools list.
 */
const rows: readonly (readonly [name: string, type: TypeName, about?: About])[] = [
  ["http.cookie", "Bytes"],
  ["http.host", "Bytes"],
  ["http.referer", "Bytes"],
  ["http.request.full_uri", "Bytes"],
  ["http.request.method", "Bytes"],
  ["http.request.cookies", "Map<Array<Bytes>>", { plan: "Pro or above" }],
  ["http.request.timestamp.sec", "Int"],
  ["http.request.timestamp.msec", "Int"],
  ["http.request.uri", "Bytes"],
  ["http.request.uri.path", "Bytes"],
  ["http.request.uri.path.extension", "Bytes"],
  ["http.request.uri.query", "Bytes"],
  ["http.user_agent", "Bytes"],
  ["http.request.version", "Bytes"],
  ["http.x_forwarded_for", "Bytes"],
  ["ip.src", "Ip"],
  ["ip.src.lat", "Bytes"],
  ["ip.src.lon", "Bytes"],
  ["ip.src.city", "Bytes"],
  ["ip.src.postal_code", "Bytes"],
  ["ip.src.metro_code", "Bytes"],
  ["ip.src.region", "Bytes"],
  ["ip.src.region_code", "Bytes"],
  ["ip.src.timezone.name", "Bytes", { only: "rewrite" }],
  ["ip.src.asnum", "Int"],
  ["ip.src.continent", "Bytes"],
  ["ip.src.country", "Bytes"],
  ["ip.src.subdivision_1_iso_code", "Bytes", { plan: "Business or above" }],
  ["ip.src.subdivision_2_iso_code", "Bytes", { plan: "Business or above" }],
  ["ip.src.is_in_european_union", "Bool", { plan: "Business or above" }],
  ["raw.http.request.full_uri", "Bytes"],
  ["raw.http.request.uri", "Bytes"],
  ["raw.http.request.uri.path", "Bytes"],
  ["raw.http.request.uri.path.extension", "Bytes"],
  ["raw.http.request.uri.query", "Bytes"],
  ["raw.http.response.headers", "Map<Array<Bytes>>", { only: "response" }],
  ["raw.http.response.headers.names", "Array<Bytes>", { only: "response" }],
  ["raw.http.response.headers.values", "Array<Bytes>", { only: "response" }],
  ["ssl", "Bool"],
  ["cf.api_gateway.auth_id_present", "Bool", { plan: "Enterprise add-on" }],
  ["cf.api_gateway.request_violates_schema", "Bool"],
  ["cf.schema_validation.learned.violated", "Bool"],
  ["cf.schema_validation.uploaded.violated", "Bool"],
  ["cf.api_gateway.fallthrough_detected", "Bool"],
  ["cf.bot_management.verified_bot", "Bool", { plan: "Enterprise add-on" }],
  ["cf.verified_bot_category", "Bytes"],
  ["cf.bot_management.score", "Int", { plan: "Enterprise add-on" }],
  ["cf.bot_management.static_resource", "Bool", { plan: "Enterprise add-on" }],
  ["cf.bot_management.ja3_hash", "Bytes", { plan: "Enterprise add-on" }],
  ["cf.bot_management.ja4", "Bytes", { plan: "Enterprise add-on" }],
  ["cf.bot_management.js_detection.passed", "Bool", { plan: "Enterprise add-on" }],
  ["cf.bot_management.detection_ids", "Array<Int>", { plan: "Enterprise add-on" }],
  ["cf.client.bot", "Bool"],
  ["cf.bot_management.corporate_proxy", "Bool", { plan: "Enterprise add-on" }],
  ["cf.bot_management.signed_agent", "Bool", { plan: "Enterprise add-on" }],
  ["cf.edge.server_ip", "Ip"],
  ["cf.edge.server_port", "Int"],
  ["cf.hostname.metadata", "Bytes"],
  ["cf.random_seed", "Bytes"],
  ["cf.ray_id", "Bytes"],
  ["cf.threat_score", "Int"],
  ["cf.tls_cipher", "Bytes"],
  ["cf.tls_client_auth.cert_revoked", "Bool"],
  ["cf.tls_client_auth.cert_verified", "Bool"],
  ["cf.tls_client_auth.cert_presented", "Bool"],
  ["cf.tls_client_auth.cert_issuer_dn", "Bytes"],
  ["cf.tls_client_auth.cert_subject_dn", "Bytes"],
  ["cf.tls_client_auth.cert_issuer_dn_rfc2253", "Bytes"],
  ["cf.tls_client_auth.cert_subject_dn_rfc2253", "Bytes"],
  ["cf.tls_client_auth.cert_issuer_dn_legacy", "Bytes"],
  ["cf.tls_client_auth.cert_subject_dn_legacy", "Bytes"],
  ["cf.tls_client_auth.cert_serial", "Bytes"],
  ["cf.tls_client_auth.cert_issuer_serial", "Bytes"],
  ["cf.tls_client_auth.cert_fingerprint_sha256", "Bytes"],
  ["cf.tls_client_auth.cert_fingerprint_sha1", "Bytes"],
  ["cf.tls_client_auth.cert_not_before", "Bytes"],
  ["cf.tls_client_auth.cert_not_after", "Bytes"],
  ["cf.tls_client_auth.cert_ski", "Bytes"],
  ["cf.tls_client_auth.cert_issuer_ski", "Bytes"],
  ["cf.tls_client_auth.cert_rfc9440", "Bytes"],
  ["cf.tls_client_auth.cert_rfc9440_too_large", "Bool"],
  ["cf.tls_client_auth.cert_chain_rfc9440", "Bytes"],
  ["cf.tls_client_auth.cert_chain_rfc9440_too_large", "Bool"],
  ["cf.tls_client_extensions_sha1", "Bytes"],
  ["cf.tls_client_extensions_sha1_le", "Bytes"],
  ["cf.tls_ciphers_sha1", "Bytes"],
  ["cf.tls_client_hello_length", "Int"],
  ["cf.tls_client_random", "Bytes"],
  ["cf.tls_version", "Bytes"],
  ["cf.edge.client_tcp", "Bool"],
  ["cf.edge.l4.delivery_rate", "Int"],
  ["cf.timings.client_tcp_rtt_msec", "Int"],
  ["cf.timings.client_quic_rtt_msec", "Int"],
  ["cf.timings.edge_msec", "Int"],
  ["cf.timings.origin_ttfb_msec", "Int"],
  ["cf.timings.worker_msec", "Int"],
  ["cf.waf.content_scan.has_obj", "Bool", { plan: "Enterprise add-on" }],
  ["cf.waf.content_scan.has_malicious_obj", "Bool", { plan: "Enterprise add-on" }],
  ["cf.waf.content_scan.num_malicious_obj", "Int", { plan: "Enterprise add-on" }],
  ["cf.waf.content_scan.has_failed", "Bool", { plan: "Enterprise add-on" }],
  ["cf.waf.content_scan.num_obj", "Int", { plan: "Enterprise add-on" }],
  ["cf.waf.content_scan.obj_sizes", "Array<Int>", { plan: "Enterprise add-on" }],
  ["cf.waf.content_scan.obj_types", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["cf.waf.content_scan.obj_results", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["cf.waf.score", "Int", { plan: "Enterprise" }],
  ["cf.waf.score.sqli", "Int", { plan: "Enterprise" }],
  ["cf.waf.score.xss", "Int", { plan: "Enterprise" }],
  ["cf.waf.score.rce", "Int", { plan: "Enterprise" }],
  ["cf.waf.score.class", "Bytes", { plan: "Business or above" }],
  ["cf.waf.auth_detected", "Bool", { plan: "Enterprise" }],
  ["cf.waf.credential_check.password_leaked", "Bool"],
  ["cf.waf.credential_check.username_leaked", "Bool", { plan: "Enterprise" }],
  ["cf.waf.credential_check.username_and_password_leaked", "Bool", { plan: "Pro or above" }],
  ["cf.waf.credential_check.username_password_similar", "Bool", { plan: "Enterprise" }],
  ["cf.llm.prompt.detected", "Bool", { plan: "Enterprise" }],
  ["cf.llm.prompt.pii_detected", "Bool", { plan: "Enterprise" }],
  ["cf.llm.prompt.pii_categories", "Array<Bytes>", { plan: "Enterprise" }],
  ["cf.llm.prompt.unsafe_topic_detected", "Bool", { plan: "Enterprise" }],
  ["cf.llm.prompt.unsafe_topic_categories", "Array<Bytes>", { plan: "Enterprise" }],
  ["cf.llm.prompt.injection_score", "Int", { plan: "Enterprise" }],
  ["cf.llm.prompt.token_count", "Int", { plan: "Enterprise" }],
  ["cf.llm.prompt.custom_topic_categories", "Map<Int>", { plan: "Enterprise" }],
  ["cf.worker.upstream_zone", "Bytes"],
  ["http.request.jwt.claims.aud", "Map<Array<Bytes>>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.aud.names", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.aud.values", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.iat.sec", "Map<Array<Int>>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.iat.sec.names", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.iat.sec.values", "Array<Int>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.iss", "Map<Array<Bytes>>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.iss.names", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.iss.values", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.jti", "Map<Array<Bytes>>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.jti.names", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.jti.values", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.nbf.sec", "Map<Array<Int>>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.nbf.sec.names", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.nbf.sec.values", "Array<Int>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.sub", "Map<Array<Bytes>>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.sub.names", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.sub.values", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.uri.args", "Map<Array<Bytes>>"],
  ["http.request.uri.args.names", "Array<Bytes>"],
  ["http.request.uri.args.values", "Array<Bytes>"],
  ["raw.http.request.uri.args", "Map<Array<Bytes>>"],
  ["raw.http.request.uri.args.names", "Array<Bytes>"],
  ["raw.http.request.uri.args.values", "Array<Bytes>"],
  ["http.request.headers", "Map<Array<Bytes>>"],
  ["http.request.headers.names", "Array<Bytes>"],
  ["http.request.headers.values", "Array<Bytes>"],
  ["http.request.headers.truncated", "Bool"],
  ["http.request.accepted_languages", "Array<Bytes>", { only: "transform" }],
  ["http.request.body.raw", "Bytes", { plan: "Enterprise", only: "body" }],
  ["http.request.body.truncated", "Bool", { plan: "Enterprise", only: "body" }],
  ["http.request.body.size", "Int", { plan: "Enterprise", only: "body" }],
  ["http.request.body.form", "Map<Array<Bytes>>", { plan: "Enterprise", only: "body" }],
  ["http.request.body.form.names", "Array<Bytes>", { plan: "Enterprise", only: "body" }],
  ["http.request.body.form.values", "Array<Bytes>", { plan: "Enterprise", only: "body" }],
  ["http.request.body.mime", "Bytes", { only: "body" }],
  ["http.request.body.multipart", "Map<Array<Bytes>>", { plan: "Enterprise", only: "body" }],
  ["http.request.body.multipart.names", "Array<Array<Bytes>>", { plan: "Enterprise", only: "body" }],
  ["http.request.body.multipart.values", "Array<Bytes>", { plan: "Enterprise", only: "body" }],
  ["http.request.body.multipart.content_types", "Array<Array<Bytes>>", { plan: "Enterprise", only: "body" }],
  [
    "http.request.body.multipart.content_dispositions",
    "Array<Array<Bytes>>",
    { plan: "Enterprise", only: "body" },
  ],
  [
    "http.request.body.multipart.content_transfer_encodings",
    "Array<Array<Bytes>>",
    { plan: "Enterprise", only: "body" },
  ],
  ["http.request.body.multipart.filenames", "Array<Array<Bytes>>", { plan: "Enterprise", only: "body" }],
  ["http.response.code", "Int", { only: "response" }],
  ["http.response.headers", "Map<Array<Bytes>>", { only: "response" }],
  ["http.response.headers.names", "Array<Bytes>", { only: "response" }],
  ["http.response.headers.values", "Array<Bytes>", { only: "response" }],
  ["http.response.content_type.media_type", "Bytes", { only: "response" }],
  ["cf.response.1xxx_code", "Int", { only: "error_response" }],
  ["cf.response.error_type", "Bytes", { only: "error_response" }],
  ["ip.geoip.asnum", "Int", { replacement: "ip.src.asnum" }],
  ["ip.geoip.continent", "Bytes", { replacement: "ip.src.continent" }],
  ["ip.geoip.country", "Bytes", { replacement: "ip.src.country" }],
  [
    "ip.geoip.subdivision_1_iso_code",
    "Bytes",
    { plan: "Business or above", replacement: "ip.src.subdivision_1_iso_code" },
  ],
  [
    "ip.geoip.subdivision_2_iso_code",
    "Bytes",
    { plan: "Business or above", replacement: "ip.src.subdivision_2_iso_code" },
  ],
  [
    "ip.geoip.is_in_european_union",
    "Bool",
    { plan: "Business or above", replacement: "ip.src.is_in_european_union" },
  ],
  ["cf.zone.name", "Bytes", { only: "account" }],
  ["cf.zone.plan", "Bytes", { only: "account" }],
  ["cf.sequence.current_op", "Bytes", { plan: "Enterprise add-on" }],
  ["cf.sequence.previous_ops", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["cf.sequence.msec_since_op", "Map<Int>", { plan: "Enterprise add-on" }],
  ["cf.appsec.request.failed_detections", "Array<Bytes>"],
  ["cf.colo.name", "Bytes", { only: "network" }],
  ["cf.colo.region", "Bytes", { only: "network" }],
  ["icmp", "Bytes", { only: "network" }],
  ["icmp.code", "Int", { only: "network" }],
  ["icmp.type", "Int", { only: "network" }],
  ["ip", "Bytes", { only: "network" }],
  ["ip.dst", "Ip", { only: "network" }],
  ["ip.dst.country", "Bytes", { only: "network" }],
  ["ip.hdr_len", "Int", { only: "network" }],
  ["ip.len", "Int", { only: "network" }],
  ["ip.opt.type", "Int", { only: "network" }],
  ["ip.proto", "Bytes", { only: "network" }],
  ["ip.proto.num", "Int", { only: "network" }],
  ["ip.ttl", "Int", { only: "network" }],
  ["sip", "Bool", { only: "network" }],
  ["tcp", "Bytes", { only: "network" }],
  ["tcp.dstport", "Int", { only: "network" }],
  ["tcp.flags", "Int", { only: "network" }],
  ["tcp.flags.ack", "Bool", { only: "network" }],
  ["tcp.flags.cwr", "Bool", { only: "network" }],
  ["tcp.flags.ecn", "Bool", { only: "network" }],
  ["tcp.flags.fin", "Bool", { only: "network" }],
  ["tcp.flags.push", "Bool", { only: "network" }],
  ["tcp.flags.reset", "Bool", { only: "network" }],
  ["tcp.flags.syn", "Bool", { only: "network" }],
  ["tcp.flags.urg", "Bool", { only: "network" }],
  ["tcp.srcport", "Int", { only: "network" }],
  ["udp", "Bytes", { only: "network" }],
  ["udp.dstport", "Int", { only: "network" }],
  ["udp.srcport", "Int", { only: "network" }],
  ["http.request.jwt.claims.exp.sec", "Map<Array<Int>>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.exp.sec.names", "Array<Bytes>", { plan: "Enterprise add-on" }],
  ["http.request.jwt.claims.exp.sec.values", "Array<Int>", { plan: "Enterprise add-on" }],
  ["http.response.headers.truncated", "Bool", { only: "response" }],
];

export const fieldTypes: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...rows.map(([name, type]) => [name, typeNamed(type)] as const),
  ["true", BOOL],
  ["false", BOOL],
]);

export const aboutFields: ReadonlyMap<string, About> = new Map(
  rows.map(([name, , about]) => [name, about ?? {}]),
);

/** Old field names: the service still accepts `ip.geoip.country` for `ip.src.country`. */
const OLD = "ip.geoip.";
const NEW = "ip.src.";
const RENAMED = [
  "asnum",
  "continent",
  "country",
  "subdivision_1_iso_code",
  "subdivision_2_iso_code",
  "is_in_european_union",
];

/** A field's current name. */
export function presentName(name: string): string {
  const suffix = name.startsWith(OLD) ? name.slice(OLD.length) : "";
  return RENAMED.includes(suffix) ? NEW + suffix : name;
}

/** The names under which a request may give a field, its own name first. */
export function namesInRequests(name: string): readonly string[] {
  const present = presentName(name);
  if (present !== name) return [name, present];
  const suffix = name.startsWith(NEW) ? name.slice(NEW.length) : "";
  return RENAMED.includes(suffix) ? [name, OLD + suffix] : [name];
}
