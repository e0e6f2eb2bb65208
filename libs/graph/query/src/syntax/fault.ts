import { DomainError } from '#platform/foundation';
import type { Span } from '../ast/ast.ts';

/** `details` of a PQL_SYNTAX error. */
export interface SyntaxDetails {
  /** UTF-16 offset of the fault's first character; the length of the text at its end. */
  readonly position: number;
  /** Number of the line, from 1. */
  readonly line: number;
  /** Number of the column, from 1, in UTF-16 units. */
  readonly column: number;
  /** Length in UTF-16 units; 0 at the end of the text. */
  readonly length: number;
  /** What was expected there; empty if nothing is missing. */
  readonly expected: readonly string[];
  readonly hint?: string;
}

export interface FaultOptions {
  readonly expected?: readonly string[];
  readonly hint?: string | undefined;
}

/** A PQL_SYNTAX error at `span` of `text`. */
export function syntaxFault(
  text: string,
  span: Span,
  message: string,
  options: FaultOptions = {},
): DomainError {
  const { line, column } = placeOf(text, span.start);
  const details: SyntaxDetails = {
    position: span.start,
    line,
    column,
    length: span.end - span.start,
    expected: options.expected ?? [],
    ...(options.hint === undefined ? {} : { hint: options.hint }),
  };
  return new DomainError('PQL_SYNTAX', `${message} (line ${line}, column ${column})`, {
    details: { ...details },
  });
}

/** Line and column, from 1, of an offset. */
function placeOf(text: string, position: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { line, column: position - lineStart + 1 };
}

const QUOTED_LENGTH_MAX = 40;

/** A part of the query as messages show it: short, in backquotes. */
export function quote(piece: string): string {
  const short = piece.length > QUOTED_LENGTH_MAX ? `${piece.slice(0, QUOTED_LENGTH_MAX)}…` : piece;
  return `\`${short}\``;
}

const WINDOW = 96;

const BEFORE_CARET = 60;

const CARETS_MAX = 40;

const CONTROL = new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`, 'gu');

/**
 * A PQL_SYNTAX error as lines for a terminal: the message, the affected line of the query (a window of a long
 * line), carets below the fault, and the hint. Control characters of the query are shown as spaces.
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
