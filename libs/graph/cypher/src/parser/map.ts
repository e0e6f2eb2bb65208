import type { Expression, MapExpression } from '../syntax/ast.ts';
import { integerOf } from '../value/arithmetic.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { Cursor } from './cursor.ts';

/** Reads `{key: value, …}`. */
export function parseMap(cursor: Cursor): MapExpression {
  const start = cursor.token;
  cursor.expectSymbol('{');
  const entries = cursor.isSymbol('}') ? [] : cursor.nested(() => cursor.list(() => parseEntry(cursor)));
  cursor.expectSymbol('}');
  return { kind: 'map', entries, span: cursor.spanFrom(start) };
}

function parseEntry(cursor: Cursor): { key: string; value: Expression } {
  const { text } = cursor.expectName('the name of a property');
  cursor.expectSymbol(':');
  return { key: text, value: cursor.expression() };
}

/** The properties of a pattern; undefined without any. */
export function parseMapOrParameter(cursor: Cursor): Expression | undefined {
  if (cursor.isSymbol('{')) return parseMap(cursor);
  const { kind, text, start, end } = cursor.token;
  if (kind !== 'parameter') return undefined;
  cursor.advance();
  return { kind: 'parameter', name: text, span: { start, end } };
}

const INTEGER_MAX = 2n ** 63n - 1n;

/** The value of a number's token; negated for a minus before it, since −2^63 is the only such integer. */
export function numberValue(cursor: Cursor, isNegative: boolean): bigint | number {
  const token = cursor.advance();
  const sign = isNegative ? -1 : 1;
  if (token.kind === 'integer') {
    const size = /^\d+$/.test(token.text) ? integerOf(token.text) : BigInt(token.text);
    const value = size * BigInt(sign);
    if (value <= INTEGER_MAX && value >= -INTEGER_MAX - 1n) return value;
    throw new SyntaxFault('IntegerOverflow', token, `the integer ${token.text} is beyond 64 bits`);
  }
  const value = Number(token.text) * sign;
  if (Number.isFinite(value)) return value;
  throw new SyntaxFault('FloatingPointOverflow', token, `the number ${token.text} is beyond ±1.8e308`);
}
