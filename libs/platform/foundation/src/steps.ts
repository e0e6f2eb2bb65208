/** Work that may take long, cut into steps: others may have a turn between two of them. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
