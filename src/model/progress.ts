/** Told now and then while a run goes on. */
export type Progress = (done: number, of: number, doing: string) => void;
