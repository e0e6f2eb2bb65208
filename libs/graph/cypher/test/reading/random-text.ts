/** Random expressions of texts, with characters of two code units, and lists of texts. */
import type { Choices } from './choices.ts';
import type { Kind, Named } from './named.ts';

/** `ｚ` is one code unit that is greater than the first of `😀`, whose code point is the greater one. */
export const TEXTS = ["'a'", "'b'", "''", "'ab'", "'😀'", "'a😀b'", "'ｚ'", "' a '"] as const;

type Of = (kind: Kind, scope: readonly Named[], depth: number) => string;

/** A function of texts whose value is a text, or null. */
export function textCall(choices: Choices, scope: readonly Named[], depth: number, of: Of): string {
  const text = (): string => of('text', scope, depth - 1);
  const count = (): string => choices.of('1', '0', '2', '3');
  switch (choices.below(10)) {
    case 0:
      return `toUpper(${text()})`;
    case 1:
      return `(${text()} + ${text()})`;
    case 2:
      return `substring(${text()}, ${count()}${choices.of('', `, ${count()}`)})`;
    case 3:
      return `${choices.of('left', 'right')}(${text()}, ${count()})`;
    case 4:
      return `${choices.of('reverse', 'toLower', 'trim', 'ltrim', 'rtrim')}(${text()})`;
    case 5:
      return `replace(${text()}, ${choices.of("'a'", "'😀'", "''", text())}, ${text()})`;
    case 6:
      return `toString(${of('integer', scope, depth - 1)})`;
    case 7:
      return `split(${text()}, ${separator(choices)})[${choices.of('0', '1', '-1')}]`;
    case 8:
      return `reduce(t = ${text()}, x IN ['a', '😀'] | ${choices.of('t + x', 'x + t', 'right(t, 1) + x')})`;
    default:
      return `coalesce(${text()}, ${text()})`;
  }
}

export function textList(choices: Choices, text: string): string {
  return `split(${text}, ${separator(choices)})`;
}

function separator(choices: Choices): string {
  return choices.of("'a'", "''", "'😀'", "'ab'", "['a', 'ab']", "['ab', 'a', 'b']", "['😀', '']");
}
