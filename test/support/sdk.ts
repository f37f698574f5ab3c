import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The SDK is too large to be a dependency. CI installs it here. */
export const sdkFolder = join(
  fileURLToPath(new URL("../..", import.meta.url)),
  ".sdk/node_modules/cloudflare",
);

/** Whether tests with the official SDK are skipped. In CI they fail without it. */
export const withoutSdk = !existsSync(sdkFolder) && process.env.CI === undefined;
if (withoutSdk)
  console.warn(`SKIPPED: tests with the official SDK; install it with
  npm install --prefix .sdk --no-package-lock cloudflare@7.3.0`);

/** The module, with types for the parts that tests use. A test compares them with the SDK's own types. */
export function loadSdk(): Promise<SdkModule> {
  // A computed name, so that types can be checked without the SDK.
  return import(/* @vite-ignore */ pathToFileURL(`${sdkFolder}/index.mjs`).href);
}

export interface SdkModule {
  readonly default: new (options: SdkOptions) => Sdk;
  readonly NotFoundError: SdkErrorClass;
  readonly BadRequestError: SdkErrorClass;
  readonly PermissionDeniedError: SdkErrorClass;
}

/** null: not read from the environment either. */
export interface SdkOptions {
  readonly baseURL: string;
  readonly apiToken: string | null;
  readonly apiEmail: string | null;
  readonly apiKey: string | null;
  readonly maxRetries: number;
}

type SdkErrorClass = abstract new (
  ...given: never[]
) => Error & {
  readonly status: number | undefined;
  readonly errors: ReadonlyArray<{ readonly code?: number; readonly message?: string }>;
};

export interface Sdk {
  readonly accounts: {
    readonly tokens: { readonly verify: (params: { readonly account_id: string }) => Promise<object> };
    readonly logs: {
      readonly audit: {
        readonly list: (params: {
          readonly account_id: string;
          readonly since: string;
          readonly before: string;
        }) => List<object>;
      };
    };
  };
  readonly user: { readonly tokens: { readonly verify: () => Promise<object> } };
  readonly zones: {
    readonly list: (query?: ZoneQuery) => List<Zone>;
    readonly settings: {
      readonly get: (id: string, params: InZone) => Promise<object>;
      readonly edit: (id: string, params: InZone & { value: unknown }) => Promise<object>;
    };
  };
  readonly pageShield: {
    readonly get: (params: InZone) => Promise<Settings | null>;
    readonly update: (params: InZone & Partial<Omit<Settings, "updated_at">>) => Promise<Settings>;
    readonly policies: {
      readonly list: (params: InZone) => List<Policy>;
      readonly create: (params: InZone & Omit<Policy, "id">) => Promise<Policy | null>;
      readonly get: (id: string, params: InZone) => Promise<Policy | null>;
      readonly update: (id: string, params: InZone & Partial<Omit<Policy, "id">>) => Promise<Policy | null>;
      readonly delete: (id: string, params: InZone) => Promise<void>;
    };
    readonly scripts: {
      readonly list: (params: InZone & DetectionQuery & { exclude_duplicates?: boolean }) => List<Script>;
      readonly get: (id: string, params: InZone) => Promise<(Script & { versions?: Versions | null }) | null>;
    };
    readonly connections: {
      readonly list: (params: InZone & DetectionQuery) => List<Detection>;
      readonly get: (id: string, params: InZone) => Promise<Detection | null>;
    };
  };
  readonly rulesets: {
    readonly list: (params: Owner & { per_page?: number; cursor?: string }) => List<RulesetSummary>;
    readonly get: (id: string, params: Owner) => Promise<Ruleset>;
    readonly create: (params: Owner & DryRun & RulesetFields) => Promise<unknown>;
    readonly update: (id: string, params: Owner & DryRun & RulesetFields) => Promise<unknown>;
    readonly delete: (id: string, params: Owner & DryRun) => Promise<void>;
    readonly rules: {
      readonly create: (rulesetId: string, params: Owner & DryRun & NewRule) => Promise<unknown>;
      readonly edit: (id: string, params: Owner & DryRun & OfRuleset & NewRule) => Promise<unknown>;
      readonly delete: (id: string, params: Owner & DryRun & OfRuleset) => Promise<unknown>;
    };
    readonly phases: {
      readonly get: (phase: RulesetPhase, params: Owner) => Promise<Ruleset>;
      readonly update: (phase: RulesetPhase, params: Owner & DryRun & EntryPointFields) => Promise<unknown>;
    };
  };
  readonly logpush: {
    readonly jobs: {
      readonly list: (params: InZone) => List<LogpushJob | null>;
      readonly create: (params: InZone & NewJob) => Promise<LogpushJob | null>;
      readonly get: (id: number, params: InZone) => Promise<LogpushJob | null>;
      readonly update: (id: number, params: InZone & Partial<NewJob>) => Promise<LogpushJob | null>;
      readonly delete: (id: number, params: InZone) => Promise<{ readonly id?: number }>;
    };
    readonly datasets: {
      readonly jobs: { readonly get: (dataset: Dataset, params: InZone) => List<LogpushJob | null> };
      readonly fields: {
        readonly get: (dataset: Dataset, params: InZone) => Promise<{ [name: string]: string }>;
      };
    };
    readonly ownership: {
      readonly create: (
        params: InZone & Destination,
      ) => Promise<(Validity & { readonly filename?: string }) | null>;
      readonly validate: (
        params: InZone & Destination & { ownership_challenge: string },
      ) => Promise<{ readonly valid?: boolean } | null>;
    };
    readonly validate: {
      readonly destination: (params: InZone & Destination) => Promise<Validity | null>;
      readonly destinationExists: (
        params: InZone & Destination,
      ) => Promise<{ readonly exists?: boolean } | null>;
      readonly origin: (params: InZone & { logpull_options: string | null }) => Promise<Validity | null>;
    };
  };
}

/** Awaiting it gives the first page; iterating over it gives all items. */
export interface List<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {}

interface Page<T> extends AsyncIterable<T> {
  readonly result: readonly T[];
  hasNextPage(): boolean;
}

interface InZone {
  zone_id: string;
}

type Owner = InZone | { account_id: string };

interface DryRun {
  dry_run?: boolean;
}

interface ZoneQuery {
  page?: number;
  per_page?: number;
  name?: string;
  account?: { id?: string };
}

interface Zone {
  readonly id: string;
  readonly name: string;
  readonly account: { readonly id?: string };
  readonly plan: { readonly name?: string };
  readonly created_on: string;
  readonly status?: string;
}

interface Settings {
  readonly enabled: boolean;
  readonly updated_at: string;
  readonly use_cloudflare_reporting_endpoint: boolean;
  readonly use_connection_url_path: boolean;
}

export interface Policy {
  readonly id: string;
  readonly action: "allow" | "log" | "add_reporting_directives";
  readonly description: string;
  readonly enabled: boolean;
  readonly expression: string;
  readonly value: string;
}

interface DetectionQuery {
  page?: string;
  per_page?: number;
  status?: string;
  hosts?: string;
  exclude_cdn_cgi?: boolean;
}

interface Detection {
  readonly id: string;
  readonly url: string;
  readonly host: string;
  readonly added_at: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  readonly url_contains_cdn_cgi_path: boolean;
  readonly malicious_domain_categories?: readonly string[];
}

interface Script extends Detection {
  readonly hash?: string | null;
  readonly js_integrity_score?: number | null;
  readonly page_urls?: readonly string[];
}

type Versions = ReadonlyArray<{ readonly hash?: string | null }>;

type RulesetPhase = "http_log_custom_fields" | "http_request_firewall_managed" | "magic_transit_ratelimit";

interface RulesetSummary {
  readonly id: string;
  readonly kind: "managed" | "custom" | "root" | "zone";
  readonly name: string;
  readonly phase: string;
  readonly version: string;
}

interface Ruleset extends RulesetSummary {
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly id?: string;
  readonly ref?: string;
  readonly action?: string;
  readonly expression?: string;
  readonly enabled?: boolean;
}

interface EntryPointFields {
  name?: string;
  description?: string;
  rules?: NewRule[];
}

interface RulesetFields extends EntryPointFields {
  kind?: "custom" | "root" | "zone";
  phase?: RulesetPhase;
}

interface OfRuleset {
  ruleset_id: string;
}

/** The rules that tests make. */
type NewRule = (
  | {
      action: "execute";
      action_parameters: { id: string; overrides?: { rules?: { id: string; score_threshold?: number }[] } };
    }
  | { action: "skip"; action_parameters: { ruleset: "current" } }
  | { action: "log_custom_field"; action_parameters: { request_fields?: { name: string }[] } }
) & {
  expression: string;
  description?: string;
  enabled?: boolean;
  ref?: string;
  position?: { index?: number } | { before?: string } | { after?: string };
};

type Dataset = "http_requests" | "page_shield_events";

interface LogpushJob {
  readonly id?: number;
  readonly name?: string | null;
  readonly dataset?: string | null;
  readonly destination_conf?: string;
  readonly enabled?: boolean;
  readonly kind?: "" | "edge";
  readonly output_options?: {
    readonly field_names?: readonly string[];
    readonly sample_rate?: number | null;
  } | null;
}

interface Destination {
  destination_conf: string;
}

interface NewJob extends Destination {
  name?: string;
  dataset?: Dataset;
  enabled?: boolean;
  filter?: string | null;
  kind?: "" | "edge";
  logpull_options?: string;
  max_upload_records?: number;
  output_options?: { field_names?: string[]; "CVE-2021-44228"?: boolean };
  ownership_challenge?: string;
}

interface Validity {
  readonly valid?: boolean;
  readonly message?: string;
}
