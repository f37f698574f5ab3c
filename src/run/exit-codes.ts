/** The exit codes of all commands. */
export const EXIT = { done: 0, error: 1, changes: 2, refused: 3, interrupted: 130 } as const;
