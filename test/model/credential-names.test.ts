import { describe, expect, test } from "vitest";
import { isCredentialName, type NameOf } from "../../src/model/credential-names.js";

const HASH = "4f1c0a9be2d3847561029384756abcde";

const CREDENTIALS: { readonly [of in NameOf]: string } = {
  field: `authorization proxy-authorization cookie set-cookie x-api-key x-goog-api-key x-auth-user x-csrftoken x-vault-token
    private-token cf-access-client-id CF_Authorization sessionId PHPSESSID ASP.NET_SessionId .ASPXAUTH connect.sid jwt
    id_token x-functions-key remember_me x-amz-security-token x-pass x-pin x-hmac x-signature x-hub-signature-256 x-psk
    X-Key-Id wordpress_logged_in_1 wordpress_logged_in_${HASH} wordpress_sec_${HASH} SESS${HASH} SSESS${HASH} rtFa FedAuth
    SPOIDCRL CASTGC __Secure-1PSID __Secure-3PSID __Secure-1PSIDTS SIDCC SAPISID LSID _gh_sess ASPSESSIONIDQCRSTBBA`,
  variable:
    "DB_PASS PGPASSWORD SONAR_LOGIN DATABASE_URL KUBE_CONFIG SENTRY_DSN MONKEY SESSION_ID dbPass REQUEST_SIGNATURE",
  parameter: `secret-access-key sig sas X-Amz-Signature auth_token ownership_challenge destination_conf pwd jwt session
    access_key_id AccountKey oauth_nonce hmac`,
};

const OTHERS: { readonly [of in NameOf]: string } = {
  field: `x-forwarded-for user-agent referer content-type etag cf-ray x-request-id x-author sec-websocket-key x-cache-key
    www-authenticate accept-language location theme cart[id] RayID ClientIP SecurityRuleID x-bypass-cache x-inside pinned
    wp-settings-1 wordpress_test x-assessment x-signal x-auth-host`,
  variable:
    "AUTHOR COMPASS BYPASS PASSAGE AUTH_HOST COOKIE_DOMAIN COOKIEBOT_URL LOGIN_URL SASS_PATH TICKET_SYSTEM PIN_FILE",
  parameter: "cookie_fields region account-id name type description policies sample authority keyboard",
};

describe.each(["field", "variable", "parameter"] as const)("the name of a %s", (of) => {
  test("is a credential name if a word or a part of a word is", () => {
    expect(names(CREDENTIALS[of]).filter((name) => !isCredentialName(name, of))).toEqual([]);
  });

  test("is no credential name if a word only looks similar", () => {
    expect(names(OTHERS[of]).filter((name) => isCredentialName(name, of))).toEqual([]);
  });
});

function names(text: string): readonly string[] {
  return text.split(/\s+/);
}
