/** A test of text that may take long: at once where that is quick, else in steps that others come between. */
export interface TextMatcher {
  /** Matchers with equal keys give equal answers. */
  readonly key: string;
  /** About how many steps of {@link STEPS_PER_TURN} a text of so many UTF-16 units takes at worst. */
  cost(units: number): number;
  matches(text: string): boolean;
  /** The same answer. Yields about every {@link STEPS_PER_TURN} steps. */
  steps(text: string): Generator<void, boolean>;
}

/** Some hundreds of microseconds: a step looks at one character, or at one thread of an expression. */
export const STEPS_PER_TURN = 32_768;
