/** `word` may be a keyword; `name` stood in backquotes; `fault` begins no token, or is one too many. */
export type TokenKind =
  'word' | 'name' | 'string' | 'integer' | 'float' | 'parameter' | 'symbol' | 'fault' | 'end';

/** A token with its half-open range of UTF-16 offsets. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** The value: a name without quotes, a string with its escapes resolved, a fault's message. */
  readonly text: string;
  /** The word in upper case; empty for a token that is no word. */
  readonly keyword: string;
  /** Kind of the error; set for a faulty token. */
  readonly fault?: LexicalFault;
}

export type LexicalFault =
  | 'UnexpectedSyntax'
  | 'InvalidUnicodeCharacter'
  | 'InvalidUnicodeLiteral'
  | 'InvalidNumberLiteral'
  | 'StatementTooLong';
