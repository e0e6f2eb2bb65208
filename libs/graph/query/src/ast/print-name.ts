/** Names, references and strings as PQL text. */
import { keywordOf } from '../lexer/keyword.ts';
import type { HopDirection, Name, Operand, VerbPattern } from './ast.ts';

export const ARROWS = { out: ' >>', in: ' <<', any: '' } as const satisfies Record<HopDirection, string>;

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name as it must be written: in backquotes when it is odd, or a keyword. */
export function printName(name: string): string {
  return PLAIN.test(name) && keywordOf(name) === '' ? name : `\`${name.replaceAll('`', '``')}\``;
}

/** `*`, `name`, `(name | name)` */
export function printNames(names: readonly Name[] | '*'): string {
  if (names === '*') return '*';
  const printed = names.map(({ text }) => printName(text)).join(' | ');
  return names.length === 1 ? printed : `(${printed})`;
}

/** `verb`, `(verb | verb)`, `RELATES TO` */
export function printVerbs({ names }: VerbPattern): string {
  return names === '*' ? 'RELATES TO' : printNames(names);
}

/** `field`, `alias.field`, `COUNT(*)`, `AVG(DISTINCT alias.field)` */
export function printRef(operand: Operand): string {
  if (operand.kind === 'ref') {
    const field = printName(operand.field.text);
    return operand.alias === undefined ? field : `${printName(operand.alias.text)}.${field}`;
  }
  const argument = operand.argument === '*' ? '*' : printRef(operand.argument);
  return `${operand.function.toUpperCase()}(${operand.distinct ? 'DISTINCT ' : ''}${argument})`;
}

export function printString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
