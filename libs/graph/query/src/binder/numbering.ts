import type { GroupOperand, RowOperand } from './bound-query.ts';

/** Distinct values numbered in the order of their first coming, told apart by what they mean. */
export class Numbering<Value> {
  readonly #indexes = new Map<string, number>();
  readonly #values: Value[] = [];

  /** The number of a value with this meaning: a new one the first time. */
  add(meaning: string, value: Value): number {
    const known = this.#indexes.get(meaning);
    if (known !== undefined) return known;
    this.#indexes.set(meaning, this.#values.length);
    return this.#values.push(value) - 1;
  }

  indexOf(meaning: string): number | undefined {
    return this.#indexes.get(meaning);
  }

  at(index: number): Value | undefined {
    return this.#values[index];
  }

  all(): readonly Value[] {
    return Object.freeze([...this.#values]);
  }
}

/** The same text for two operands that mean the same, wherever they stand. */
export function meaningOf(operand: RowOperand | GroupOperand): string {
  switch (operand.kind) {
    case 'field':
      return `field ${operand.element} ${operand.field}`;
    case 'element':
      return `element ${operand.element}`;
    case 'key':
    case 'aggregate':
      return `${operand.kind} ${operand.index}`;
  }
}
