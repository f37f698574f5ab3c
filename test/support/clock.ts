import { onTestFinished, vi } from "vitest";

/** Sets the time to noon UTC of this day until the test ends. Timers keep running. */
export function itIs(day: string): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(`${day}T12:00:00Z`) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
