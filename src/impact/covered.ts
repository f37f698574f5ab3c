import type { Detected } from "../model/detection.js";
import type { Layer } from "../model/strength.js";
import { pagesOf, requestsFor } from "./page.js";
import { appliesTo, readWhere } from "./zone-layers.js";

/**
 * The URLs of the pages of a load that a layer covers, or may cover. Of a page of which not even the host is known it is
 * one of the zone.
 */
export function coveredPages(
  detected: Detected,
  { where }: Pick<Layer, "where">,
  zone: string,
): readonly string[] {
  const read = readWhere(where);
  const pages = pagesOf(detected).filter((page) => appliesTo(requestsFor(page), read) !== false);
  const urls = pages.flatMap((page) =>
    page.urls.length === 0 ? [`https://${zone}/`] : page.urls.map(({ href }) => href),
  );
  return [...new Set(urls)];
}
