import { onTestFinished, vi } from "vitest";

/** From here to the end of the test it is noon of this day in UTC. Timers go on. */
export function itIs(day: string): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(`${day}T12:00:00Z`) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
