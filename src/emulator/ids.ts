import { hash } from "node:crypto";

/** 32 lower-case hexadecimal digits, the same for the same words, so that runs can be repeated. */
export function idOf(...words: readonly (string | number)[]): string {
  return hash("sha256", JSON.stringify(words)).slice(0, 32);
}

/** Whether a text looks like an identifier of the service. */
export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{32}$/.test(text);
}

/** Makes the next identifier that is not in use. */
export type NewId<Id = string> = (isUsed: (id: Id) => boolean) => Id;

/** Makes the identifiers of an owner's objects: always the same sequence. */
export function newIds<Id>(noun: string, ownerId: string, form: (digits: string) => Id): NewId<Id> {
  let count = 0;
  return (isUsed) => {
    for (;;) {
      count += 1;
      const id = form(idOf(noun, ownerId, count));
      if (!isUsed(id)) return id;
    }
  };
}

/** The objects of a seed by identifier. Those without one get the next ones. */
export function seeded<Id, Seed extends { readonly id?: Id }, Stored>(
  seeds: readonly Seed[],
  newId: NewId<Id>,
  stored: (seed: Seed, id: Id) => Stored,
): ReadonlyMap<Id, Stored> {
  const seedIds = new Set(seeds.map(({ id }) => id));
  const byId = new Map<Id, Stored>();
  for (const seed of seeds) {
    const id = seed.id ?? newId((each) => seedIds.has(each) || byId.has(each));
    byId.set(id, stored(seed, id));
  }
  return byId;
}
