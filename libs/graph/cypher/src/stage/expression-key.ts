import type { Expression } from '../syntax/ast.ts';

/**
 * Numbers for expressions, equal for those that differ in their places only. Every part is looked at once,
 * however often it is asked for, and without recursion: a chain such as `a + b + …` may have any length.
 */
export class ExpressionKeys {
  readonly #known = new WeakMap<object, number>();
  readonly #numbers = new Map<string, number>();

  keyOf(expression: Expression): number {
    const waiting: object[] = [expression];
    for (let part = waiting.at(-1); part !== undefined; part = waiting.at(-1)) {
      const unknown = fieldsOf(part).flatMap(([, value]) => (this.#isUnknown(value) ? [value] : []));
      if (unknown.length === 0) {
        this.#known.set(part, this.#numberOf(part));
        waiting.pop();
      } else for (const each of unknown) waiting.push(each);
    }
    return this.#known.get(expression) ?? 0;
  }

  #isUnknown(value: unknown): value is object {
    return typeof value === 'object' && value !== null && !this.#known.has(value);
  }

  #numberOf(part: object): number {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const text = fieldsOf(part)
      .map(([name, value]) => `${name}:${this.#textOf(value)}`)
      .join();
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  #textOf(value: unknown): string {
    if (typeof value === 'object' && value !== null) return `#${String(this.#known.get(value))}`;
    // Not by JSON, to which -0 is 0 and a bigint nothing.
    return typeof value === 'string'
      ? JSON.stringify(value)
      : `${typeof value} ${Object.is(value, -0) ? '-0' : String(value)}`;
  }
}

function fieldsOf(part: object): readonly (readonly [string, unknown])[] {
  return Object.entries(part).filter(([name]) => name !== 'span');
}
