import { runOn } from "./detections.js";

export const run = runOn("connections");
