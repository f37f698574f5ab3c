/**
 * Whether Unicode has a class of characters of this name: a category, a script or a property, in the spellings that
 * JavaScript and Rust share. Rust ignores case, spaces and signs in them.
 */
export function isUnicodeProperty(name: string): boolean {
  const [property, value] = name.split(/!=|[:=]/, 2);
  if (value !== undefined && property !== undefined)
    return VALUED.has(plain(property)) && value.trim() !== "";
  if (/^(?:any|assigned|ascii)$/.test(plain(name))) return true;
  const titled = name
    .trim()
    .split(/[\s_-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join("_");
  return [name, titled, `Script=${titled}`].some(isKnownToJavaScript);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

const VALUED = new Set([
  ...["gc", "generalcategory", "sc", "script", "scx", "scriptextensions", "age"],
  ...["gcb", "graphemeclusterbreak", "wb", "wordbreak", "sb", "sentencebreak"],
]);

function isKnownToJavaScript(name: string): boolean {
  if (!/^[\w=]+$/.test(name)) return false;
  try {
    return new RegExp(`\\p{${name}}`, "u").source !== "";
  } catch {
    // How JavaScript says that it knows no such class.
    return false;
  }
}
