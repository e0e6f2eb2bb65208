/**
 * Converts PQL text to tokens, in one pass and linear time. Every uncached query is tokenized here, so it
 * compares character codes and slices each token once.
 *
 * A fault (a character that starts no token, an unterminated quotation) becomes the last token instead of an
 * exception, so that the parser reports the first fault of the text.
 */
import { keywordOf } from './keyword.ts';
import type { Token, TokenKind } from './token.ts';

const DOUBLE_QUOTE = 34;
const DOLLAR = 36;
const SINGLE_QUOTE = 39;
const STAR = 42;
const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const SLASH = 47;
const BRACKET = 91;
const BACKSLASH = 92;
const BACKQUOTE = 96;
const LETTER_D = 100;
/** Makes a letter of ASCII one of lower case. */
const LOWER = 32;

const SINGLE_SYMBOLS = codesOf('(){}|,.;*/!?=<>+-');
const DOUBLE_SYMBOLS: ReadonlySet<string> = new Set('.. >> << <> != <= >= ^= $= ~= =~'.split(' '));
const TRIPLE_SYMBOLS: ReadonlySet<string> = new Set('!^= !$= !~='.split(' '));
/** Characters that may start a symbol of several characters. */
const DOUBLE_STARTS = codesOf('.><!^$~=');

/** White space; the zero-width space is included, which web pages add to copied text. */
const SPACE = /[\s\u200B]/u;
const WORD_START = /[\p{ID_Start}_]/u;
const WORD_PART = /[\p{ID_Continue}]/u;

/** J1QL's date without quotes, which would be tokens of a difference. */
const DATE = /date[ \t]*\([ \t]*(\d[\d:.tz+-]*)[ \t]*\)/iy;
/** J1QL's parameter. */
const BRACED_PARAMETER = /\$\{[ \t]*param\.([\p{ID_Start}_]\p{ID_Continue}*)[ \t]*\}/uy;

/** The tokens of a text; the last is `end` or `fault`. Spans are UTF-16 offsets. */
export function tokenize(text: string): readonly Token[] {
  const lexer = new Lexer(text);
  const tokens: Token[] = [];
  for (;;) {
    const token = lexer.next();
    tokens.push(token);
    if (token.kind === 'end' || token.kind === 'fault') return tokens;
  }
}

class Lexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    const unclosedComment = this.#skipBlanks();
    if (unclosedComment !== undefined) return unclosedComment;
    const start = this.#at;
    const text = this.#text;
    if (start === text.length) return make('end', start, start, '');
    const code = text.charCodeAt(start);
    if (isWordStart(text, start)) return this.#word(start);
    if (isDigit(code) || (code === MINUS && isDigit(text.charCodeAt(start + 1)))) return this.#number(start);
    if (code === SINGLE_QUOTE || code === DOUBLE_QUOTE) return this.#string(start, code);
    if (code === BACKQUOTE) return this.#backquoted(start);
    if (code === BRACKET) return this.#bracketed(start);
    return this.#symbol(start, code);
  }

  /** Skips white space and comments; an unterminated comment is a fault. */
  #skipBlanks(): Token | undefined {
    const text = this.#text;
    for (;;) {
      while (isSpace(text, this.#at)) this.#at++;
      if (isPair(text, this.#at, MINUS, MINUS)) {
        const newline = text.indexOf('\n', this.#at);
        this.#at = newline === -1 ? text.length : newline;
      } else if (isPair(text, this.#at, SLASH, STAR)) {
        const close = text.indexOf('*/', this.#at + 2);
        if (close === -1) return make('fault', this.#at, text.length, 'unterminated comment');
        this.#at = close + 2;
      } else {
        return undefined;
      }
    }
  }

  #word(start: number): Token {
    const code = this.#text.charCodeAt(start) | LOWER;
    const date = code === LETTER_D ? matchAt(DATE, this.#text, start) : null;
    if (date !== null) return this.#matched('date', start, date);
    this.#at = wordEnd(this.#text, start);
    const word = this.#text.slice(start, this.#at);
    return { kind: 'word', start, end: this.#at, text: word, keyword: keywordOf(word) };
  }

  /** `[-]digits[.digits][e[±]digits]`; a dot or an `e` without a digit after it is not part of the number. */
  #number(start: number): Token {
    const text = this.#text;
    let at = digitsEnd(text, start + 1);
    if (text.charCodeAt(at) === DOT && isDigit(text.charCodeAt(at + 1))) at = digitsEnd(text, at + 1);
    const code = text.charCodeAt(at);
    if (code === 101 || code === 69) {
      const sign = text.charCodeAt(at + 1);
      const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
      if (isDigit(text.charCodeAt(digits))) at = digitsEnd(text, digits);
    }
    this.#at = at;
    return make('number', start, at, text.slice(start, at));
  }

  /** Escapes: `\\`, `\'`, `\"`, and `''` between single quotes; any other backslash stays. */
  #string(start: number, quote: number): Token {
    const text = this.#text;
    let value = '';
    let from = start + 1;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== quote && code !== BACKSLASH) continue;
      const next = text.charCodeAt(at + 1);
      if (isEscape(code, next, quote)) {
        value += text.slice(from, at);
        from = at + 1;
        at++;
      } else if (code === quote) {
        this.#at = at + 1;
        return make('string', start, at + 1, value + text.slice(from, at));
      }
    }
    return make('fault', start, text.length, 'unterminated string');
  }

  /** A doubled backquote is one backquote. */
  #backquoted(start: number): Token {
    const text = this.#text;
    let close = text.indexOf('`', start + 1);
    while (close !== -1 && text.charCodeAt(close + 1) === BACKQUOTE) close = text.indexOf('`', close + 2);
    if (close === -1) return make('fault', start, text.length, 'unterminated name in backquotes');
    return this.#enclosed('name', start, close, text.slice(start + 1, close).replaceAll('``', '`'));
  }

  #bracketed(start: number): Token {
    const close = this.#text.indexOf(']', start + 1);
    if (close === -1) return make('fault', start, this.#text.length, 'unterminated field name in brackets');
    return this.#enclosed('field', start, close, this.#text.slice(start + 1, close));
  }

  #enclosed(kind: TokenKind, start: number, close: number, name: string): Token {
    this.#at = close + 1;
    return name === '' ? make('fault', start, close + 1, 'empty name') : make(kind, start, close + 1, name);
  }

  /** A token whose value is the first group of a match. */
  #matched(kind: TokenKind, start: number, [all, value = '']: RegExpExecArray): Token {
    this.#at = start + all.length;
    return make(kind, start, this.#at, value);
  }

  #symbol(start: number, code: number): Token {
    const text = this.#text;
    if (DOUBLE_STARTS.has(code)) {
      const triple = text.slice(start, start + 3);
      if (TRIPLE_SYMBOLS.has(triple)) {
        this.#at = start + 3;
        return make('symbol', start, start + 3, triple);
      }
      const pair = triple.slice(0, 2);
      if (DOUBLE_SYMBOLS.has(pair)) {
        this.#at = start + 2;
        return make('symbol', start, start + 2, pair);
      }
    }
    if (code === DOLLAR) return this.#parameter(start);
    if (!SINGLE_SYMBOLS.has(code)) {
      const character = String.fromCodePoint(text.codePointAt(start) ?? code);
      return make(
        'fault',
        start,
        start + character.length,
        `unexpected character ${JSON.stringify(character)}`,
      );
    }
    this.#at = start + 1;
    return make('symbol', start, start + 1, text.charAt(start));
  }

  /** `$` and digits, `$` and a word, or `${ param.word }`. */
  #parameter(start: number): Token {
    const text = this.#text;
    const at = start + 1;
    const braced = matchAt(BRACED_PARAMETER, text, start);
    if (braced !== null) return this.#matched('parameter', start, braced);
    const end = isWordStart(text, at) ? wordEnd(text, at) : digitsEnd(text, at);
    if (end === at) return make('fault', start, at, 'expected a number or a name after $');
    this.#at = end;
    return make('parameter', start, end, text.slice(at, end));
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function make(kind: TokenKind, start: number, end: number, text: string): Token {
  return { kind, start, end, text, keyword: '' };
}

function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && SPACE.test(text.charAt(at)));
}

function isPair(text: string, at: number, first: number, second: number): boolean {
  return text.charCodeAt(at) === first && text.charCodeAt(at + 1) === second;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function digitsEnd(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** Whether the character is a letter of a–z or A–Z, or an underscore. */
function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

function isWordStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isAsciiWord(code) || (code > 127 && WORD_START.test(characterAt(text, at)));
}

function wordEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (isAsciiWord(code) || isDigit(code)) {
      at++;
    } else if (code > 127 && WORD_PART.test(characterAt(text, at))) {
      at += characterAt(text, at).length;
    } else {
      return at;
    }
  }
}

/** The whole character at an offset, which may be two UTF-16 units. */
function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function isEscape(code: number, next: number, quote: number): boolean {
  if (code === BACKSLASH) return next === BACKSLASH || next === SINGLE_QUOTE || next === DOUBLE_QUOTE;
  return quote === SINGLE_QUOTE && next === SINGLE_QUOTE;
}
