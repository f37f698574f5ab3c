/** Whether an id that came from outside may stand in a path. Ids at the service are 32 hexadecimal digits. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}
