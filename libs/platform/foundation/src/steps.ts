/** Work that may take long, cut into steps: others may have a turn between two of them. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const TURN_MS = 4;

/** Runs the steps, a few milliseconds of them at a time: other work goes on between. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let turnEndMs = performance.now() + TURN_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < turnEndMs) continue;
    await new Promise(setImmediate);
    turnEndMs = performance.now() + TURN_MS;
  }
}
