/**
 * Log-push datasets and their fields, deprecated ones included. Sources: the service's documentation of log fields, its
 * changelog of 2026, and for account datasets the official Terraform provider 5.22.0. The service may have newer ones.
 */

/** Zone datasets and their field names. */
const OF_ZONES = {
  account_abuse_protection_events: `AuthenticationIdentityProvider AuthenticationMethod AuthenticationStatus BotScore
    ClientASN ClientCity ClientCountry ClientIP Email EphemeralID EventSource EventType FraudEmailRisk Host JA4 RayID
    Timestamp UserAgent UserID`,
  dns_logs: `ColoCode EDNSSubnet EDNSSubnetLength QueryName QueryType ResponseCached ResponseCode SourceIP Timestamp`,
  firewall_events: `Action ClientASN ClientASNDescription ClientCountry ClientIP ClientIPClass ClientRefererHost
    ClientRefererPath ClientRefererQuery ClientRefererScheme ClientRequestHost ClientRequestMethod ClientRequestPath
    ClientRequestProtocol ClientRequestQuery ClientRequestScheme ClientRequestUserAgent ContentScanObjResults
    ContentScanObjSizes ContentScanObjTypes Datetime Description EdgeColoCode EdgeResponseStatus
    FirewallForAIInjectionScore FirewallForAIPIICategories FirewallForAITokenCount FirewallForAIUnsafeTopicCategories
    FraudUserID Kind LeakedCredentialCheckResult MatchIndex Metadata OriginResponseStatus OriginatorRayID RayID Ref
    RuleID Source`,
  http_requests: `BotDetectionIDs BotDetectionTags BotScore BotScoreSrc BotTags CacheCacheStatus CacheReserveUsed
    CacheResponseBytes CacheResponseStatus CacheTieredFill ClientASN ClientCity ClientCountry ClientDeviceType ClientIP
    ClientIPClass ClientLatitude ClientLongitude ClientMTLSAuthCertFingerprint ClientMTLSAuthStatus ClientRegionCode
    ClientRequestBytes ClientRequestHost ClientRequestMethod ClientRequestPath ClientRequestProtocol
    ClientRequestReferer ClientRequestScheme ClientRequestSource ClientRequestURI ClientRequestUserAgent
    ClientSSLCipher ClientSSLProtocol ClientSrcPort ClientTCPRTTMs ClientXRequestedWith ContentScanObjResults
    ContentScanObjSizes ContentScanObjTypes Cookies EdgeCFConnectingO2O EdgeColoCode EdgeColoID EdgeEndTimestamp
    EdgePathingOp EdgePathingSrc EdgePathingStatus EdgeRequestHost EdgeResponseBodyBytes EdgeResponseBytes
    EdgeResponseCompressionRatio EdgeResponseContentType EdgeResponseStatus EdgeServerIP EdgeStartTimestamp
    EdgeTimeToFirstByteMs FirewallForAIInjectionScore FirewallForAIPIICategories FirewallForAITokenCount
    FirewallForAIUnsafeTopicCategories FraudAttack FraudDetectionIDs FraudDetectionTags FraudEmailRisk FraudUserID
    JA3Hash JA4 JA4Signals JSDetectionPassed LeakedCredentialCheckResult OriginDNSResponseTimeMs OriginIP
    OriginRequestHeaderSendDurationMs OriginResponseBytes OriginResponseDurationMs OriginResponseHTTPExpires
    OriginResponseHTTPLastModified OriginResponseHeaderReceiveDurationMs OriginResponseStatus OriginResponseTime
    OriginSSLProtocol OriginTCPHandshakeDurationMs OriginTLSHandshakeDurationMs ParentRayID PayPerCrawlStatus RayID
    RequestHeaders ResponseHeaders SecurityAction SecurityActions SecurityRuleDescription SecurityRuleID
    SecurityRuleIDs SecuritySources SmartRouteColoID UpperTierColoID VerifiedBotCategory WAFAttackScore WAFFlags
    WAFMatchedVar WAFRCEAttackScore WAFSQLiAttackScore WAFXSSAttackScore WebAssetsLabelsManaged WebAssetsOperationID
    WorkerCPUTime WorkerScriptName WorkerStatus WorkerSubrequest WorkerSubrequestCount WorkerWallTimeUs ZoneID
    ZoneName`,
  nel_reports: `ClientIPASN ClientIPASNDescription ClientIPCountry LastKnownGoodColoCode Phase Timestamp Type`,
  page_shield_events: `Action CSPDirective Host PageURL PolicyID ResourceType Timestamp URL URLContainsCDNCGIPath
    URLHost`,
  spectrum_events: `Application ClientAsn ClientBytes ClientCountry ClientIP ClientMatchedIpFirewall ClientPort
    ClientProto ClientTcpRtt ClientTlsCipher ClientTlsClientHelloServerName ClientTlsProtocol ClientTlsStatus ColoCode
    ConnectTimestamp DisconnectTimestamp Event IpFirewall OriginBytes OriginIP OriginPort OriginProto OriginTcpRtt
    OriginTlsCipher OriginTlsFingerprint OriginTlsMode OriginTlsProtocol OriginTlsStatus ProxyProtocol Status
    Timestamp`,
  websocket_analytics: `BytesReceivedClient BytesReceivedOrigin BytesSentClient BytesSentOrigin ClientASN ClientIP
    ClientRequestHost ClientRequestPath ClientRequestUserAgent ColoCode ConnectionCloseReason ConnectionCloseSource
    ConnectionID ConnectionTransportCloseCode EdgeEndTimestamp EdgeStartTimestamp RayID`,
  zaraz_events: `Body EventDetails EventType IP RequestHeaders TimestampStart URL`,
} as const;

/** Account datasets. Their fields are not kept here. */
const OF_ACCOUNTS = `access_requests audit_logs audit_logs_v2 biso_user_actions casb_findings device_posture_results
  dex_application_tests dex_device_state_events dlp_forensic_copies dns_firewall_logs email_security_alerts
  email_security_post_delivery_events gateway_dns gateway_http gateway_network ipsec_logs magic_bgp_logs
  magic_ids_detections mcp_portal_logs mnm_flow_logs network_analytics_logs sinkhole_http_logs ssh_logs
  turnstile_events warp_config_changes warp_toggle_changes workers_trace_events zero_trust_network_sessions`;

const wordsIn = (text: string): readonly string[] => text.split(/\s+/);

/** The field names of each dataset with known fields. */
export const FIELDS_OF_DATASETS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(OF_ZONES).map(([dataset, fields]) => [dataset, wordsIn(fields)]),
);

export const DATASETS: readonly string[] = [...FIELDS_OF_DATASETS.keys(), ...wordsIn(OF_ACCOUNTS)];
