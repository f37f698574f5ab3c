/**
 * A path as browsers compare it: percent-decoded whole, `%2F` included. What is not UTF-8 then is read byte by byte,
 * so that `%E9` equals `%C3%A9`; an escape that is none stays as it is.
 */
export function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return decodeBytes(path);
  }
}

function decodeBytes(path: string): string {
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  try {
    return UTF8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return bytes;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
