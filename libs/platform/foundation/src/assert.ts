/** A defect of this program: the process logs it and exits. Never thrown for bad input. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/** Throws {@link InvariantViolation} unless `condition` holds. `message` states the expectation. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}

/** Marks a branch that the types rule out. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unexpected value ${String(value)}`);
}
