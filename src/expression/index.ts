export { normalise } from "./normalise.js";
