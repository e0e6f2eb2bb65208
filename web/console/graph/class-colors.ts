/**
 * Distinguishable in light and dark mode, and with most colour vision deficiencies; from the tenth on,
 * classes are grey.
 */
const PALETTE = [
  '#3b82c4',
  '#d97b29',
  '#4c9a5f',
  '#b65bb0',
  '#c9a227',
  '#3aa6a6',
  '#c4524e',
  '#7b6fd0',
  '#8a6d4b',
] as const;
const OTHERS = '#8a93a0';

/** A colour for each class, assigned by number of nodes; assigned colours are kept. */
export class ClassColors {
  readonly #colors = new Map<string, string>();

  assign(classesByCount: readonly string[]): void {
    for (const name of classesByCount) {
      if (!this.#colors.has(name)) this.#colors.set(name, PALETTE[this.#colors.size] ?? OTHERS);
    }
  }

  of(name: string): string {
    return this.#colors.get(name) ?? OTHERS;
  }
}
