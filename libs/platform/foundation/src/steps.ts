/** Long work, cut into steps: other work may run between two of them. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps without a pause. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const TURN_MS = 4;

/** Runs the steps, a few milliseconds at a time, and yields to the event loop in between. */
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
