/**
 * Statements in typed or piped lines. A statement ends with a semicolon outside of texts and comments, or
 * with an empty line. A line that begins with a colon is a command of the shell; while a statement is open,
 * only one with the name of a command outside of texts, comments and brackets (there it can be a label of
 * Cypher). The statement stays open, as in psql.
 */
export type Language = 'pql' | 'cypher';

/** What stands between these is skipped; `--` begins a comment in PQL and is a pattern in Cypher. */
const SKIPPED: Readonly<Record<Language, RegExp>> = {
  pql: /'(?:\\.|''|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:``|[^`])*`|\/\*[^]*?\*\/|(?:--|\/\/)[^\n]*/y,
  cypher: /'(?:\\[^]|[^'\\])*'|"(?:\\[^]|[^"\\])*"|`(?:``|[^`])*`|\/\*[^]*?\*\/|\/\/[^\n]*/y,
};
/** Something of the above that has no end yet. */
const OPENING = /['"`]|\/\*/y;
/** Blanks and comments before a statement. */
const BEFORE = /^(?:\s|\/\*[^]*?\*\/|(?:--|\/\/)[^\n]*\n)*/;
const PQL_START = /^(?:(?:EXPLAIN|PROFILE)\s+)?FIND\b/i;
const CYPHER_START =
  /^(?:(?:EXPLAIN|PROFILE)\s+)?(?:OPTIONAL\s+MATCH|MATCH|CREATE|MERGE|WITH|UNWIND|RETURN|CALL|SHOW|DROP|DETACH|DELETE|SET|REMOVE|FOREACH)\b/i;

/** By its first word; PQL, whose messages say what is expected, for any other. */
export function languageOf(statement: string): Language {
  const text = statement.replace(BEFORE, '');
  return !PQL_START.test(text) && CYPHER_START.test(text) ? 'cypher' : 'pql';
}

/** Whether there are comments at most. */
function isEmpty(statement: string): boolean {
  return `${statement}\n`.replace(BEFORE, '') === '';
}

/** What a reader asks of its shell. */
export interface ShellSyntax {
  /** The language that is chosen; undefined: by the first word. */
  readonly language: Language | undefined;
  /** Whether there is a command of this name, which has no colon. */
  hasCommand(name: string): boolean;
}

interface Scan {
  /** Where the first statement has its semicolon. */
  readonly end: number | undefined;
  /** Whether a text, a comment or a bracket has no end yet. */
  readonly isInside: boolean;
}

export class StatementReader {
  readonly #syntax: ShellSyntax;
  #open = '';

  constructor(syntax: ShellSyntax) {
    this.#syntax = syntax;
  }

  /** Whether a statement has begun. */
  get isOpen(): boolean {
    return this.#open.trim() !== '';
  }

  /** The statements and commands that this line completes, without their semicolons. */
  add(line: string): readonly string[] {
    const trimmed = line.trim();
    if (this.#isCommand(trimmed)) return [trimmed];
    if (trimmed === '') return this.end();
    this.#open += `${line}\n`;
    const found: string[] = [];
    for (let { end } = this.#scan(); end !== undefined; { end } = this.#scan()) {
      const statement = this.#open.slice(0, end).trim();
      this.#open = this.#open.slice(end + 1);
      if (!isEmpty(statement)) found.push(statement);
    }
    return found;
  }

  /** What is left at the end of the input. */
  end(): readonly string[] {
    const rest = this.#open.trim();
    this.#open = '';
    return isEmpty(rest) ? [] : [rest];
  }

  /** Forgets the open statement. */
  clear(): void {
    this.#open = '';
  }

  #isCommand(line: string): boolean {
    if (!line.startsWith(':')) return false;
    if (!this.isOpen) return true;
    const [, name = ''] = /^:(\S*)/.exec(line) ?? [];
    return this.#syntax.hasCommand(name) && !this.#scan().isInside;
  }

  #scan(): Scan {
    const text = this.#open;
    const skipped = SKIPPED[this.#syntax.language ?? languageOf(text)];
    let depth = 0;
    for (let at = 0; at < text.length; at++) {
      skipped.lastIndex = at;
      if (skipped.test(text)) {
        at = skipped.lastIndex - 1;
        continue;
      }
      OPENING.lastIndex = at;
      if (OPENING.test(text)) return { end: undefined, isInside: true };
      const sign = text.charAt(at);
      if (sign === ';') return { end: at, isInside: false };
      if ('([{'.includes(sign)) depth++;
      if (')]}'.includes(sign)) depth = Math.max(0, depth - 1);
    }
    return { end: undefined, isInside: depth > 0 };
  }
}
