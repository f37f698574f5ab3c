/**
 * The field behind a common wrong name: from other tools, or by the pattern of other fields. Names with mere typos are
 * not included.
 */
export function fieldMeantBy(name: string): string | null {
  return fields.get(name.toLowerCase()) ?? null;
}

/** The replacement for a function of other languages, as a sentence. */
export function callMeantBy(name: string): string | null {
  return calls.get(name.toLowerCase()) ?? null;
}

const rows: readonly (readonly [meant: string, ...written: readonly string[]])[] = [
  [
    "http.host",
    "host",
    "hostname",
    "domain",
    "request.host",
    "http.hostname",
    "http.request.host",
    "http.request.hostname",
  ],
  ["http.request.uri.path", "path", "http.path", "uri.path", "url.path", "http.request.path", "request.path"],
  ["http.request.uri.path", "http.uri.path", "http.request.url.path"],
  ["http.request.uri", "uri", "http.uri", "request.uri", "request_uri"],
  ["http.request.full_uri", "url", "http.url", "full_uri", "http.full_uri", "http.request.url"],
  ["http.request.full_uri", "http.request.uri.full"],
  ["http.request.uri.query", "query", "http.query", "http.request.query", "query_string", "uri.query"],
  ["http.request.uri.query", "http.request.query_string", "http.request.uri.query_string"],
  ["http.request.uri.args", "args", "http.args", "http.request.args", "http.request.uri.query.args"],
  ["http.request.uri.path.extension", "extension", "http.request.uri.extension", "http.request.extension"],
  ["http.request.method", "method", "http.method", "request.method", "request_method"],
  [
    "http.request.headers",
    "headers",
    "http.headers",
    "http.header",
    "http.request.header",
    "request.headers",
  ],
  ["http.user_agent", "user_agent", "useragent", "http.useragent", "ua", "http.request.user_agent"],
  ["http.user_agent", "http.request.useragent", "http.request.headers.user_agent"],
  ["http.referer", "referer", "referrer", "http.referrer", "http.request.referer", "http.request.referrer"],
  ["http.cookie", "cookie", "cookies", "http.cookies", "http.request.cookie"],
  ["http.x_forwarded_for", "x_forwarded_for", "http.request.x_forwarded_for"],
  ["http.request.version", "http.version"],
  ["ssl", "https", "scheme", "http.scheme", "http.request.scheme", "http.request.ssl", "http.ssl", "tls"],
  [
    "ip.src",
    "client_ip",
    "clientip",
    "remote_addr",
    "src_ip",
    "ip.source",
    "ip.address",
    "ip.client",
    "src.ip",
  ],
  ["ip.src", "cf.client.ip", "cf.connecting_ip", "http.client_ip", "http.request.ip"],
  ["ip.src.country", "country", "ip.country", "geoip.country", "ip.geo.country", "ip.src.country_code"],
  ["ip.src.country", "cf.country", "cf.ipcountry", "country_code", "ip.country_code"],
  ["ip.src.continent", "continent", "ip.continent"],
  ["ip.src.asnum", "asn", "asnum", "ip.asn", "ip.asnum", "ip.src.asn", "ip.geoip.asn", "cf.asn"],
  ["ip.src.city", "city", "ip.city", "ip.geoip.city"],
  ["ip.src.region", "ip.region"],
  ["cf.bot_management.score", "bot_score", "cf.bot_score", "cf.bot.score", "cf.bots.score", "bot.score"],
  ["cf.bot_management.score", "bot_management.score", "cf.botmanagement.score"],
  [
    "cf.bot_management.verified_bot",
    "verified_bot",
    "cf.verified_bot",
    "cf.bot.verified",
    "cf.bot.verified_bot",
  ],
  ["cf.client.bot", "cf.bot", "client.bot", "cf.is_bot"],
  ["cf.waf.score", "waf_score", "cf.waf_score", "cf.attack_score", "cf.waf.attack_score"],
  ["cf.threat_score", "threat_score", "cf.threat.score"],
  ["cf.edge.server_port", "port", "server_port", "http.port", "http.request.port", "cf.edge.port"],
  ["http.response.code", "status", "status_code", "http.status", "http.response.status", "http.status_code"],
  ["http.response.code", "http.response.status_code"],
];

export const usualNames: readonly (readonly [written: string, meant: string])[] = rows.flatMap(
  ([meant, ...written]) => written.map((each) => [each, meant] as const),
);

const fields: ReadonlyMap<string, string> = new Map(usualNames);

const calls: ReadonlyMap<string, string> = new Map([
  ...["lowercase", "lower_case", "tolower", "to_lower", "to_lowercase", "lcase"].map(
    (each) => [each, "Write `lower(…)`."] as const,
  ),
  ...["uppercase", "upper_case", "toupper", "to_upper", "to_uppercase", "ucase"].map(
    (each) => [each, "Write `upper(…)`."] as const,
  ),
  ...["length", "size", "strlen", "count"].map((each) => [each, "Write `len(…)`."] as const),
  ...["substr", "slice", "mid"].map((each) => [each, "Write `substring(…)`."] as const),
  ...["regex", "regexp", "regex_match", "regexp_match", "match"].map(
    (each) => [each, 'Write the operator `matches`: `http.request.uri.path matches "^/api/"`.'] as const,
  ),
  ...["includes", "has", "include"].map(
    (each) => [each, 'Write the operator `contains`: `http.request.uri.path contains "/api/"`.'] as const,
  ),
  ...["urldecode", "decode_url", "decodeuri", "unescape"].map(
    (each) => [each, "Write `url_decode(…)`."] as const,
  ),
  ...["base64_decode", "decodebase64"].map((each) => [each, "Write `decode_base64(…)`."] as const),
  ...["exists", "isset", "defined"].map(
    (each) => [each, 'To test for a header, write `len(http.request.headers["…"]) gt 0`.'] as const,
  ),
  ...["cidr_match", "in_cidr", "ip_in_range", "ipmatch", "inrange"].map(
    (each) => [each, "Write the operator `in`: `ip.src in {192.0.2.0/24}`."] as const,
  ),
]);
