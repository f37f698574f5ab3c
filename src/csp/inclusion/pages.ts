import { readUrl } from "../../model/url.js";
import type { HostPattern } from "../match/match-source.js";

/** The pages in question, as far as that is known: an expression may tell on which hosts it applies. */
export interface Pages {
  readonly schemes: readonly PageScheme[];
  /** Null: any, at any port but that of the other scheme. Else at the port of the scheme. */
  readonly hosts: readonly PageHost[] | null;
}

export type PageScheme = "https" | "http";

export type PageHost = HostPattern & { readonly match: "exact" | "subdomains" };

/** All pages that come from web servers. */
export const ANY_PAGES: Pages = { schemes: ["https", "http"], hosts: null };

/** One host name that the pattern matches, to try loads with. */
export function hostWithin({ match, text }: PageHost): string {
  return match === "exact" ? text : `page${text}`;
}

/** The pages of which these are URLs; others than those of web servers are left out. */
export function pagesAt(urls: readonly string[]): Pages {
  const read = urls.flatMap((url) => readUrl(url) ?? []);
  const schemes = (["https", "http"] as const).filter((each) =>
    read.some(({ protocol }) => protocol === `${each}:`),
  );
  const isAtOwnPorts = read.every(({ port }) => port === "");
  const hosts = [...new Set(read.map(({ hostname }) => hostname))];
  return { schemes, hosts: isAtOwnPorts ? hosts.map((text) => ({ match: "exact", text })) : null };
}
