import type { DomainError } from '#platform/foundation';
import type { SyntaxDetails } from './fault.ts';

const WINDOW = 96;
const BEFORE_CARET = 60;
const CARETS_MAX = 40;
const CONTROL = new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`, 'gu');

/**
 * A PQL_SYNTAX error as lines for a terminal: the message, the line of the query it is about (a window of it
 * when it is long), carets below the fault, and the hint. Control characters of the query show as spaces.
 */
export function explainFault(text: string, fault: DomainError): string {
  const details = syntaxDetailsOf(fault);
  if (details === undefined) return fault.message;
  const { line, column, length, hint } = details;
  const source = text.split('\n', line).at(-1) ?? '';
  const at = column - 1;
  const from = at > BEFORE_CARET && source.length > WINDOW ? at - BEFORE_CARET : 0;
  const shown = source.slice(from, from + WINDOW);
  const carets = '^'.repeat(Math.max(1, Math.min(length, CARETS_MAX, shown.length - (at - from))));
  const margin = ' '.repeat(String(line).length);
  const lines = [
    fault.message,
    `${margin} |`,
    `${line} | ${shown.toWellFormed().replaceAll(CONTROL, ' ')}`.trimEnd(),
    `${margin} | ${' '.repeat(at - from)}${carets}`,
  ];
  return [...lines, ...(hint === undefined ? [] : [`hint: ${hint}`])].join('\n');
}

/** The details of a PQL_SYNTAX error; undefined for any other. */
function syntaxDetailsOf({ code, details }: DomainError): SyntaxDetails | undefined {
  if (code !== 'PQL_SYNTAX' || details === undefined) return undefined;
  const { position, line, column, length, expected, hint } = details;
  const places = [position, line, column, length];
  if (!places.every((place) => typeof place === 'number') || !Array.isArray(expected)) return undefined;
  const [at = 0, lineAt = 1, columnAt = 1, span = 0] = places;
  const known = { position: at, line: lineAt, column: columnAt, length: span, expected };
  return typeof hint === 'string' ? { ...known, hint } : known;
}
