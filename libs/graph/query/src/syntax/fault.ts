import { DomainError } from '#platform/foundation';
import type { Span } from '../ast/ast.ts';

/** `details` of a PQL_SYNTAX error. */
export interface SyntaxDetails {
  /** UTF-16 offset of the fault's first character; the length of the text at its end. */
  readonly position: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** UTF-16 units the fault spans; 0 at the end of the text. */
  readonly length: number;
  /** What could have stood there; empty when the fault is none of what is missing. */
  readonly expected: readonly string[];
  readonly hint?: string;
}

export interface FaultOptions {
  readonly expected?: readonly string[];
  readonly hint?: string | undefined;
}

/** A PQL_SYNTAX error about `span` of `text`. */
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

/** A piece of the query as a message shows it: short, in backquotes. */
export function quote(piece: string): string {
  const short = piece.length > QUOTED_LENGTH_MAX ? `${piece.slice(0, QUOTED_LENGTH_MAX)}…` : piece;
  return `\`${short}\``;
}
