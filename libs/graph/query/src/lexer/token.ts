import type { Keyword } from './keyword.ts';

/**
 * `word` is a bare word, `name` one in backquotes, `field` one in brackets, `date` a `date(2019-10-30)`. The
 * last token is `fault` at text that is not a token, and `end` at the end of the text.
 */
export type TokenKind =
  'word' | 'name' | 'field' | 'string' | 'number' | 'date' | 'parameter' | 'symbol' | 'end' | 'fault';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** The value: quotes and escapes resolved, a parameter without its `$`, the message of a fault. */
  readonly text: string;
  /** The keyword, if the token is one. */
  readonly keyword: Keyword | '';
}
