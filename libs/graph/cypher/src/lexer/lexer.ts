/**
 * Splits a statement into tokens, in linear time. What cannot begin a token becomes a token of kind `fault`,
 * with which the parser fails where it reaches it; the rest is not read.
 *
 * Arrows of patterns are single symbols: `-`, `<`, `>`, so that `a<-1` stays a comparison.
 */
import type { Steps } from '#platform/foundation';
import type { LexicalFault, Token, TokenKind } from './token.ts';

/**
 * Maximum number of tokens of a statement: what it takes to parse and compile it grows with them, not with
 * the length of its texts and names.
 */
export const TOKENS_MAX = 100_000;
const TOKENS_PER_STEP = 4_096;

const SPACE = /(?:[\s\u{1c}-\u{1f}\u{180e}]|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)+/uy;
const WORD = /[\p{ID_Start}\p{Pc}]\p{ID_Continue}*/uy;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const RADIX = /0[xX][\p{ID_Continue}]*|0o[\p{ID_Continue}]*/uy;
const PARAMETER = /\$(?:`((?:[^`]|``)*)`|([\p{ID_Start}_\d][\p{ID_Continue}]*))/uy;
const BACKQUOTED = /`((?:[^`]|``)*)`/uy;
const SYMBOL = /\.\.|<>|<=|>=|=~|\+=|=>|\|\||[()[\]{},;:.|+\-*/%^=<>!&$?]/y;
/** Symbols that begin no longer one, nor anything else. */
const ALONE = '()[]{},;:';
/** Everything but what most tokens begin with. */
const MAY_BE_SPACE = /[^\w()[\]{},;:.'"=<>+*-]/;
const VALID_RADIX = /^0x[0-9a-f]+$|^0o[0-7]+$/i;
const FOLLOWS_NUMBER = /[\p{ID_Continue}]+/uy;

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
};
const UNICODE_ESCAPE = /u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y;

/** The tokens, the last one of kind `end` or `fault`. */
export function* tokenSteps(text: string): Steps<readonly [Token, ...Token[]]> {
  const lexer = new Lexer(text);
  let last = lexer.next();
  const tokens: [Token, ...Token[]] = [last];
  while (last.kind !== 'end' && last.kind !== 'fault') {
    last = lexer.next();
    if (tokens.length === TOKENS_MAX && last.kind !== 'end') last = tooMany(last);
    tokens.push(last);
    if (tokens.length % TOKENS_PER_STEP === 0) yield;
  }
  return tokens;
}

function tooMany({ start, end }: Token): Token {
  const text = `a statement has at most ${TOKENS_MAX} words, values and symbols: write values as parameters`;
  return { kind: 'fault', start, end, text, keyword: '', fault: 'StatementTooLong' };
}

class Lexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    if (MAY_BE_SPACE.test(this.#text[this.#at] ?? '')) this.#match(SPACE);
    const start = this.#at;
    const first = this.#text[start];
    if (first === undefined) return this.#token('end', start, '');
    if (ALONE.includes(first)) {
      this.#at++;
      return this.#token('symbol', start, first);
    }
    if (this.#text.startsWith('/*', start))
      return this.#fault(start, 'a comment that begins here does not end');
    if (first === "'" || first === '"') return this.#string(start, first);
    if (/[\d.]/.test(first)) {
      const number = this.#number(start);
      if (number !== undefined) return number;
    }
    return this.#other(start);
  }

  #other(start: number): Token {
    const [word] = this.#match(WORD) ?? [];
    if (word !== undefined) {
      return { kind: 'word', start, end: this.#at, text: word, keyword: word.toUpperCase() };
    }
    const name = this.#match(BACKQUOTED);
    if (name !== undefined) return this.#token('name', start, unquoted(name[1] ?? ''));
    const parameter = this.#match(PARAMETER);
    if (parameter !== undefined) {
      return this.#token('parameter', start, parameter[2] ?? unquoted(parameter[1] ?? ''));
    }
    const symbol = this.#match(SYMBOL);
    if (symbol !== undefined) return this.#token('symbol', start, symbol[0]);
    if (this.#text[start] === '`')
      return this.#fault(start, 'a name that begins here has no closing backquote');
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? 0);
    const message = `the character \`${character.toWellFormed()}\` begins nothing`;
    return this.#fault(start, message, character > '\u{7f}' ? 'InvalidUnicodeCharacter' : 'UnexpectedSyntax');
  }

  #number(start: number): Token | undefined {
    const radix = this.#match(RADIX);
    if (radix !== undefined) {
      if (VALID_RADIX.test(radix[0])) return this.#token('integer', start, radix[0]);
      return this.#fault(start, `\`${radix[0]}\` is not a number`, 'InvalidNumberLiteral');
    }
    const number = this.#match(NUMBER);
    if (number === undefined) return undefined;
    const rest = this.#match(FOLLOWS_NUMBER);
    if (rest !== undefined) {
      return this.#fault(start, `\`${number[0]}${rest[0]}\` is not a number`, 'InvalidNumberLiteral');
    }
    return this.#token(/[.eE]/.test(number[0]) ? 'float' : 'integer', start, number[0]);
  }

  #string(start: number, quote: string): Token {
    let value = '';
    let from = start + 1;
    for (let at = from; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === quote) {
        this.#at = at + 1;
        return this.#token('string', start, value + this.#text.slice(from, at));
      }
      if (character !== '\\') continue;
      const escape = this.#escape(at + 1);
      if (escape === undefined) {
        const isUnicode = /u/i.test(this.#text[at + 1] ?? '');
        this.#at = at + 1;
        return this.#fault(
          at,
          'an unknown escape: a backslash is written \\\\',
          isUnicode ? 'InvalidUnicodeLiteral' : 'UnexpectedSyntax',
        );
      }
      value += this.#text.slice(from, at) + escape.value;
      from = escape.end;
      at = from - 1;
    }
    this.#at = this.#text.length;
    return this.#fault(start, 'a string that begins here has no closing quote');
  }

  #escape(at: number): { value: string; end: number } | undefined {
    const simple = ESCAPES[this.#text[at] ?? ''];
    if (simple !== undefined) return { value: simple, end: at + 1 };
    UNICODE_ESCAPE.lastIndex = at;
    const [whole, four, eight] = UNICODE_ESCAPE.exec(this.#text) ?? [];
    const code = Number.parseInt(four ?? eight ?? '', 16);
    if (whole === undefined || code > 0x10ffff) return undefined;
    return { value: String.fromCodePoint(code), end: at + whole.length };
  }

  /** Steps over what the pattern matches here. */
  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  #token(kind: TokenKind, start: number, text: string): Token {
    return { kind, start, end: this.#at, text, keyword: '' };
  }

  #fault(start: number, text: string, fault: LexicalFault = 'UnexpectedSyntax'): Token {
    const end = Math.max(this.#at, start + 1);
    return { kind: 'fault', start, end, text, keyword: '', fault };
  }
}

function unquoted(name: string): string {
  return name.replaceAll('``', '`');
}
