import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A folder with these files, which exists until the end of the test. */
export async function folderOf(files: { readonly [name: string]: string | Uint8Array }): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "zoneward-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}
