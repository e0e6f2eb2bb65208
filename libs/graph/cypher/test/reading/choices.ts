/**
 * Random decisions from a list of numbers: what is made of them shrinks with the list, towards the first of
 * all alternatives.
 */
import fc from 'fast-check';

export const choices: fc.Arbitrary<readonly number[]> = fc.array(fc.nat({ max: 9_999 }), {
  minLength: 60,
  maxLength: 400,
  size: 'max',
});

export class Choices {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** From 0 to below the count; 0 when the numbers are used up. */
  below(count: number): number {
    return (this.#numbers[this.#at++] ?? 0) % count;
  }

  /** In so many of 100 cases. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  of<T>(first: T, ...rest: readonly T[]): T {
    const at = this.below(rest.length + 1);
    return at === 0 ? first : (rest[at - 1] ?? first);
  }

  /** Undefined of an empty list. */
  from<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : items[this.below(items.length)];
  }

  times<T>(count: number, make: (at: number) => T): T[] {
    return Array.from({ length: count }, (_, at) => make(at));
  }
}
