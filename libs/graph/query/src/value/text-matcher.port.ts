/** A test of a text that may take long: immediate if that is quick, else in interruptible steps. */
export interface TextMatcher {
  /** Matchers with equal keys return equal results. */
  readonly key: string;
  /** Upper estimate of the steps for a text of this many UTF-16 units; see {@link STEPS_PER_TURN}. */
  cost(units: number): number;
  matches(text: string): boolean;
  /** The result of `matches`; yields about every {@link STEPS_PER_TURN} steps. */
  steps(text: string): Generator<void, boolean>;
}

/** Some hundreds of microseconds: a step reads one character, or one thread of an expression. */
export const STEPS_PER_TURN = 32_768;
