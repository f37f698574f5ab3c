/** The exit codes of all commands. `cli/exit-code.ts` chooses for plan, drift and answers, the other commands themselves. */
export const EXIT = { done: 0, error: 1, changes: 2, refused: 3, interrupted: 130 } as const;
