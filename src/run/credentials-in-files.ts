import type { FileText } from "../config/files.js";
import type { Environment } from "../config/index.js";
import { placesIn } from "../config/place.js";
import { type Problem, problem } from "../model/problem.js";
import { credentialsIn } from "./redact.js";

/**
 * A credential that is written into a file is everybody's who reads it: then nothing else is said of the files. What
 * stands around it is not shown: it may be more of the same.
 */
export function credentialsInFiles(files: readonly FileText[], environment: Environment): readonly Problem[] {
  return credentialsIn(environment).flatMap(({ variable, value }) =>
    files.flatMap(({ file, text }) => {
      const start = text.indexOf(value);
      if (start === -1) return [];
      const at = { ...placesIn(file, text)(start, ""), text: "" };
      const detail = `The value of ${variable} stands here. Take it out of the file and of its history, and make a new one in its place: who can read the file can use it.`;
      return [{ ...problem("credential_in_file", "A credential stands in the file", detail), at }];
    }),
  );
}
