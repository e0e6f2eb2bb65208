/** Functions of texts with words between their arguments: `trim(BOTH 'x' FROM s)`, `normalize(s, NFD)`. */
import type { CallExpression, Expression, NormalForm, NormalTest, Span } from '../syntax/ast.ts';
import type { Cursor } from './cursor.ts';

const TRIMS: Readonly<Record<string, string>> = { BOTH: 'btrim', LEADING: 'ltrim', TRAILING: 'rtrim' };
const NORMAL_FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'];

/** Undefined where an ordinary call begins. */
export function parseTextForm(cursor: Cursor): Expression | undefined {
  if (cursor.isKeyword('NORMALIZE')) return parseNormalize(cursor);
  if (!cursor.isKeyword('TRIM')) return undefined;
  const closing = cursor.closingAhead(1);
  const isForm = Object.hasOwn(TRIMS, cursor.peek(2).keyword) && closing !== 3;
  return isForm && !cursor.isSymbol(',', 3) ? parseTrim(cursor) : parseTrimCall(cursor);
}

/** `trim('x' FROM s)`, which is the same with BOTH, or a call with arguments. */
function parseTrimCall(cursor: Cursor): CallExpression {
  const start = cursor.advance();
  cursor.expectSymbol('(');
  return cursor.reservingBar(false, () => {
    const args = cursor.isSymbol(')') ? [] : cursor.list(() => cursor.expression());
    const text = args.length === 1 && cursor.acceptPhrase('FROM') ? cursor.expression() : undefined;
    cursor.expectSymbol(')');
    const span = cursor.spanFrom(start);
    return text === undefined ? call('trim', args, span) : call('btrim', [text, ...args], span);
  });
}

function parseTrim(cursor: Cursor): Expression {
  const start = cursor.advance();
  cursor.expectSymbol('(');
  const name = TRIMS[cursor.advance().keyword] ?? 'btrim';
  return cursor.reservingBar(false, () => {
    const characters = cursor.isKeyword('FROM') ? [] : [cursor.expression()];
    cursor.expectKeyword('FROM');
    const text = cursor.expression();
    cursor.expectSymbol(')');
    return call(name, [text, ...characters], cursor.spanFrom(start));
  });
}

/** Reads a call whose second argument is a bare word. */
function parseNormalize(cursor: Cursor): Expression | undefined {
  const closing = cursor.closingAhead(1);
  if (closing === undefined || !cursor.isSymbol(',', closing - 2)) return undefined;
  const form = NORMAL_FORMS.find((name) => cursor.isKeyword(name, closing - 1));
  if (form === undefined) return undefined;
  const start = cursor.advance();
  cursor.expectSymbol('(');
  const text = cursor.reservingBar(false, () => cursor.expression());
  cursor.expectSymbol(',');
  const { span } = cursor.expectName('a normal form');
  cursor.expectSymbol(')');
  return call('normalize', [text, { kind: 'literal', value: form, span }], cursor.spanFrom(start));
}

export function acceptNormalTest(cursor: Cursor, operand: Expression): NormalTest | undefined {
  const start = cursor.token;
  const test = acceptNormalForm(cursor);
  if (test === undefined) return undefined;
  const span = { start: operand.span.start, end: cursor.spanFrom(start).end };
  return { kind: 'normal-test', operand, ...test, span };
}

/** `IS [NOT] [NFD] NORMALIZED`: whether normalization changes nothing. */
export function acceptNormalForm(cursor: Cursor): NormalForm | undefined {
  if (!cursor.isKeyword('IS')) return undefined;
  const isNegated = cursor.isKeyword('NOT', 1);
  const at = isNegated ? 2 : 1;
  const form = NORMAL_FORMS.find((name) => cursor.isKeyword(name, at));
  if (!cursor.isKeyword('NORMALIZED', form === undefined ? at : at + 1)) return undefined;
  while (!cursor.acceptPhrase('NORMALIZED')) cursor.advance();
  return { form: form ?? 'NFC', isNegated };
}

function call(name: string, args: readonly Expression[], span: Span): CallExpression {
  return { kind: 'call', name, isDistinct: false, args, span };
}
