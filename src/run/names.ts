import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { entryName } from "../kinds/kind.js";
import { type FilesInput, readDesired } from "./files.js";

/** The zones of the files, and what `--only` can name there: kinds, and objects with their kind. */
export async function namesInFiles(
  input: FilesInput,
): Promise<{ readonly zones: readonly string[]; readonly objects: readonly string[] }> {
  const { desired } = await readDesired(input, "check");
  const zones = desired?.zones ?? [];
  const objects = zones.flatMap((zone) => {
    const { sections } = zone.open();
    return kinds.flatMap((kind) =>
      declaredIn(kind, sections).map((each) => `${kind.name}/${entryName(kind, each)}`),
    );
  });
  return {
    zones: zones.map(({ name }) => name),
    objects: [...kinds.map(({ name }) => name), ...new Set(objects)],
  };
}
