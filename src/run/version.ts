import packageJson from "../../package.json" with { type: "json" };

/** Of this program. */
export const version: string = packageJson.version;
