import { type DomainError, nearestName } from '#platform/foundation';
import type { Name, Span } from '../ast/ast.ts';
import { isReserved, type Keyword } from '../lexer/keyword.ts';
import type { Token } from '../lexer/token.ts';
import { quote, syntaxFault, type FaultOptions } from '../syntax/fault.ts';
import { NESTING_MAX } from '../syntax/limits.ts';
import { patternSize, PATTERN_SIZES_MAX } from '../syntax/regular-expression.ts';

const PLACEHOLDER =
  'a placeholder of a template, not of the language: put a value there, or a parameter, $name';

/** The context of a condition: WHERE accepts fields as values, HAVING accepts aggregates. */
export type Place = 'with' | 'where' | 'having';

/**
 * The parser's position in the tokens. Every failed test of the current token is recorded until the next
 * step, so that a fault can list everything that was expected there.
 */
export class Cursor {
  readonly text: string;
  /** The current token. */
  token: Token;
  /** Whether any AS has named an element so far: WHERE needs one. */
  hasAlias = false;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #index = 0;
  #depth = 0;
  #patternSizes = 0;
  #expected: string[] = [];

  constructor(text: string, tokens: readonly Token[]) {
    this.text = text;
    this.#tokens = tokens;
    this.#end = { kind: 'end', start: text.length, end: text.length, text: '', keyword: '' };
    this.token = tokens[0] ?? this.#end;
  }

  /** The token `ahead` steps further; beyond the end, the last one. */
  peek(ahead = 1): Token {
    return this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1) ?? this.#end;
  }

  /** The previous token. */
  get previous(): Token {
    return this.#tokens[this.#index - 1] ?? this.#end;
  }

  /** Consumes and returns the current token. */
  advance(): Token {
    const passed = this.token;
    this.#index++;
    this.token = this.peek(0);
    if (this.#expected.length > 0) this.#expected = [];
    return passed;
  }

  isKeyword(keyword: Keyword): boolean {
    if (this.token.keyword === keyword) return true;
    this.#expected.push(keyword);
    return false;
  }

  /** Two keywords in a row, as in GROUP BY. */
  isPhrase(first: Keyword, second: Keyword): boolean {
    if (this.token.keyword === first && this.peek().keyword === second) return true;
    this.#expected.push(`${first} ${second}`);
    return false;
  }

  isSymbol(symbol: string): boolean {
    if (this.token.kind === 'symbol' && this.token.text === symbol) return true;
    this.#expected.push(symbol);
    return false;
  }

  acceptKeyword(keyword: Keyword): boolean {
    const found = this.isKeyword(keyword);
    if (found) this.advance();
    return found;
  }

  acceptPhrase(first: Keyword, second: Keyword): boolean {
    if (!this.isPhrase(first, second)) return false;
    this.advance();
    this.advance();
    return true;
  }

  acceptSymbol(symbol: string): boolean {
    const found = this.isSymbol(symbol);
    if (found) this.advance();
    return found;
  }

  expectKeyword(keyword: Keyword): void {
    if (!this.acceptKeyword(keyword)) throw this.fault(keyword);
  }

  expectSymbol(symbol: string, hint?: string): void {
    if (!this.acceptSymbol(symbol)) throw this.fault(quote(symbol), { hint });
  }

  /** The closing `)` of `open`. */
  expectClose(open: Token): void {
    if (this.acceptSymbol(')')) return;
    throw this.fault(`\`)\` to close the \`(\` at position ${open.start}`, { expected: this.#expected });
  }

  /** A bare word that is not reserved, or any name in backquotes. `what` names it in the fault. */
  expectName(what: string, hint?: string): Name {
    if (!this.isName()) throw this.fault(what, { hint: hint ?? this.reservedHint() });
    const { text, start, end } = this.advance();
    return Object.freeze({ text, span: Object.freeze({ start, end }) });
  }

  isName(): boolean {
    const { kind, keyword } = this.token;
    return kind === 'name' || (kind === 'word' && !isReserved(keyword));
  }

  /** The hint for a reserved word in place of a name. */
  reservedHint(): string | undefined {
    const { keyword, text } = this.token;
    return isReserved(keyword) ? `${text} as a name needs backquotes` : undefined;
  }

  #characterHint(): string | undefined {
    const rest = this.text.slice(this.token.start, this.token.start + 2);
    if (rest.startsWith('&')) return 'join conditions with AND';
    if (rest.startsWith('#'))
      return 'a smart class of JupiterOne: name its classes, as in (Host | DataStore)';
    return rest === '${' ? PLACEHOLDER : undefined;
  }

  /** The span from a start to the end of the previous token. */
  spanFrom(start: number): Span {
    return Object.freeze({ start, end: this.previous.end });
  }

  /** Enters one more level of nesting, opened by `token`. */
  enter(token: Token): void {
    this.#depth++;
    if (this.#depth <= NESTING_MAX) return;
    throw this.faultAt(token, `nesting is deeper than ${NESTING_MAX} levels`);
  }

  leave(): void {
    this.#depth--;
  }

  /** Counts a regular expression; false if those of the query are too large in total. */
  hasRoomForPattern(pattern: string): boolean {
    this.#patternSizes += patternSize(pattern);
    return this.#patternSizes <= PATTERN_SIZES_MAX;
  }

  /** A fault at the current token: `what` was expected there. The lexer's own fault takes precedence. */
  fault(what: string, options: FaultOptions = {}): DomainError {
    const { kind, start, end, text } = this.token;
    if (kind === 'fault') return this.faultAt(this.token, text, { hint: this.#characterHint() });
    const found = kind === 'end' ? 'the end of the query' : quote(this.text.slice(start, end));
    const expected = [...new Set(options.expected ?? [...this.#expected, what.replaceAll('`', '')])];
    const hint = this.#misspeltHint() ?? options.hint ?? this.#placeholderHint();
    return this.faultAt(this.token, `expected ${what}, found ${found}`, { ...options, hint, expected });
  }

  /** No name or value begins with a brace. */
  #placeholderHint(): string | undefined {
    return this.token.kind === 'symbol' && this.token.text === '{' ? PLACEHOLDER : undefined;
  }

  /** A hint for a word that resembles one of the expected keywords. */
  #misspeltHint(): string | undefined {
    const { kind, keyword, text } = this.token;
    if (kind !== 'word' || keyword !== '') return undefined;
    const phrases = new Map(this.#expected.map((phrase) => [phrase.split(' ')[0] ?? '', phrase]));
    const meant = phrases.get(nearestName(text.toUpperCase(), [...phrases.keys()]) ?? '');
    return meant === undefined ? undefined : `did you mean ${meant}?`;
  }

  faultAt(span: Span, message: string, options: FaultOptions = {}): DomainError {
    return syntaxFault(this.text, span, message, options);
  }
}
