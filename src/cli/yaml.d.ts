/** A file that is imported `with { type: "text" }`. */
declare module "*.yaml" {
  const text: string;
  export default text;
}
