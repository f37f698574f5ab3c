const REGION = /(<!-- generated: ([\w-]+)[^>]*-->\n)[\s\S]*?(<!-- end of generated: \2 -->)/g;

/** The document with its generated parts replaced. Handwritten parts stay. */
export function filled(file, text, parts) {
  const found = new Set();
  const result = text.replace(REGION, (_, begin, name, end) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`${file}: unknown generated part ${name}.`);
    found.add(name);
    return `${begin}\n${part.trim()}\n\n${end}`;
  });
  const missing = Object.keys(parts).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`${file} has no place for the generated ${missing.join(", ")}.`);
  return result;
}
