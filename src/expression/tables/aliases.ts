/** Old names of fields: the service still takes `ip.geoip.country` for `ip.src.country`. */
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

/** A field's present name. */
export function presentName(name: string): string {
  const rest = name.startsWith(OLD) ? name.slice(OLD.length) : "";
  return RENAMED.includes(rest) ? NEW + rest : name;
}

/** The names that a request may give a field by, its own first. */
export function givenNames(name: string): readonly string[] {
  const present = presentName(name);
  if (present !== name) return [name, present];
  const rest = name.startsWith(NEW) ? name.slice(NEW.length) : "";
  return RENAMED.includes(rest) ? [name, OLD + rest] : [name];
}
