import { SyntaxFault, type FaultKind, type FaultOptions } from '../syntax/fault.ts';
import type { Expression, Name, Query, Span } from '../syntax/ast.ts';
import type { Token } from '../lexer/token.ts';

/** Maximum nesting of parentheses, brackets, braces, CASE and prefix operators together. */
export const NESTING_MAX = 200;

/** Maximum number of accesses, or of tests such as IS NULL, one after another. */
const CHAIN_MAX = 500;

const OPENING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const QUOTED_LENGTH_MAX = 40;

/** The rules of the grammar that contain one another, across the files of the parser. */
export interface Grammar {
  expression(cursor: Cursor): Expression;
  query(cursor: Cursor): Query;
}

/** The parser's position in the tokens. */
export class Cursor {
  readonly text: string;
  /** The current token. */
  token: Token;
  /** Whether `|` ends an expression here, and so joins no labels. */
  isBarReserved = false;
  readonly #grammar: Grammar;
  readonly #tokens: readonly Token[];
  readonly #last: Token;
  /** Index of the closing bracket by that of the opening one; 0 for all others. */
  readonly #closings: Uint32Array;
  #index = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly [Token, ...Token[]], grammar: Grammar) {
    this.text = text;
    this.#grammar = grammar;
    this.#tokens = tokens;
    this.#last = tokens.at(-1) ?? tokens[0];
    this.#closings = closingsOf(tokens);
    this.token = tokens[0];
  }

  /** The token `ahead` steps further; beyond the end, the last one. */
  peek(ahead = 1): Token {
    return this.#tokens[this.#index + ahead] ?? this.#last;
  }

  /** How many steps ahead the bracket closes that opens `ahead` steps further; undefined if it does not. */
  closingAhead(ahead = 0): number | undefined {
    const closing = this.#closings[this.#index + ahead] ?? 0;
    return closing === 0 ? undefined : closing - this.#index;
  }

  advance(): Token {
    const passed = this.token;
    if (passed !== this.#last) this.#index++;
    this.token = this.peek(0);
    return passed;
  }

  get isEnd(): boolean {
    return this.token.kind === 'end';
  }

  isKeyword(keyword: string, ahead = 0): boolean {
    return this.peek(ahead).keyword === keyword;
  }

  /** Several keywords in a row, as in ORDER BY. */
  isPhrase(...keywords: readonly string[]): boolean {
    return keywords.every((keyword, ahead) => this.isKeyword(keyword, ahead));
  }

  acceptPhrase(...keywords: readonly string[]): boolean {
    if (!this.isPhrase(...keywords)) return false;
    for (let passed = 0; passed < keywords.length; passed++) this.advance();
    return true;
  }

  expectKeyword(keyword: string): void {
    if (!this.acceptPhrase(keyword)) throw this.fault(keyword);
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead);
    return kind === 'symbol' && text === symbol;
  }

  acceptSymbol(symbol: string): boolean {
    const found = this.isSymbol(symbol);
    if (found) this.advance();
    return found;
  }

  expectSymbol(symbol: string): void {
    if (!this.acceptSymbol(symbol)) throw this.fault(`\`${symbol}\``);
  }

  isName(ahead = 0): boolean {
    const { kind } = this.peek(ahead);
    return kind === 'word' || kind === 'name';
  }

  /** Any word, keywords too, or a name in backquotes. */
  expectName(what: string): Name {
    if (!this.isName()) throw this.fault(what, { kind: 'UnexpectedSyntax' });
    const { text, start, end } = this.advance();
    return { text, span: { start, end } };
  }

  /** One or more items between commas. */
  list<T>(parse: () => T): readonly T[] {
    const items = [parse()];
    while (this.acceptSymbol(',')) items.push(parse());
    return items;
  }

  expression(): Expression {
    return this.nested(() => this.#grammar.expression(this));
  }

  query(): Query {
    return this.nested(() => this.#grammar.query(this));
  }

  /** Runs a parser one level deeper. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > NESTING_MAX) {
      throw new SyntaxFault('NestingTooDeep', this.token, `nesting is deeper than ${NESTING_MAX} levels`);
    }
    const result = parse();
    this.#depth--;
    return result;
  }

  /** Refuses the `length`-th access or test in a row, each of which contains the ones before it. */
  refuseLongChain(length: number): void {
    if (length <= CHAIN_MAX) return;
    throw new SyntaxFault('NestingTooDeep', this.token, `more than ${CHAIN_MAX} accesses or tests in a row`);
  }

  /** Runs a parser in which `|` ends an expression, or does not: `[x IN list WHERE x:A | x.name]`. */
  reservingBar<T>(isReserved: boolean, parse: () => T): T {
    const before = this.isBarReserved;
    this.isBarReserved = isReserved;
    const result = parse();
    this.isBarReserved = before;
    return result;
  }

  /** From a token's start to the end of the token that was passed last. */
  spanFrom({ start }: Span): Span {
    return { start, end: (this.#tokens[this.#index - 1] ?? this.token).end };
  }

  fault(expected: string, options: FaultOptions & { readonly kind?: FaultKind } = {}): SyntaxFault {
    const { kind, text, start, end, fault } = this.token;
    // Where no number is expected, what is no number is not a wrong one.
    const isWrongName = fault === 'InvalidNumberLiteral' && options.kind === 'UnexpectedSyntax';
    if (kind === 'fault' && !isWrongName)
      return new SyntaxFault(fault ?? 'UnexpectedSyntax', this.token, text);
    const piece = this.text.slice(start, end);
    const short = piece.length > QUOTED_LENGTH_MAX ? `${piece.slice(0, QUOTED_LENGTH_MAX)}…` : piece;
    const found = kind === 'end' ? 'the end of the statement' : `\`${short}\``;
    const message = `expected ${expected}, found ${found}`;
    return new SyntaxFault(options.kind ?? 'UnexpectedSyntax', this.token, message, options);
  }
}

function closingsOf(tokens: readonly Token[]): Uint32Array {
  const closings = new Uint32Array(tokens.length);
  const open: { readonly index: number; readonly closing: string }[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.kind !== 'symbol') continue;
    const { text } = token;
    const closing = OPENING[text];
    if (closing !== undefined) open.push({ index, closing });
    else if (open.at(-1)?.closing === text) closings[open.pop()?.index ?? 0] = index;
  }
  return closings;
}
