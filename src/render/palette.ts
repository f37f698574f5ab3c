import pico from "picocolors";

export interface Palette {
  readonly add: (text: string) => string;
  readonly change: (text: string) => string;
  readonly remove: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
}

export function palette(color: boolean): Palette {
  const c = pico.createColors(color);
  return {
    add: c.green,
    change: c.yellow,
    remove: c.red,
    strong: c.bold,
    faint: c.dim,
    error: (text) => c.bold(c.red(text)),
    warning: (text) => c.bold(c.yellow(text)),
  };
}
