import type { Keyword } from './keyword.ts';

/**
 * `word` is a bare word, `name` one in backquotes, `field` one in brackets; `fault` ends the tokens where the
 * text is no token, and `end` where the text ends.
 */
export type TokenKind =
  'word' | 'name' | 'field' | 'string' | 'number' | 'parameter' | 'symbol' | 'end' | 'fault';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** What it stands for: quotes and escapes resolved, a parameter without its `$`; of a fault the message. */
  readonly text: string;
  /** Set for a word that spells one. */
  readonly keyword: Keyword | '';
}
