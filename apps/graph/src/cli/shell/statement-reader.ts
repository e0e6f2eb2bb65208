/**
 * Statements in typed or piped lines. A statement ends with a semicolon outside of texts and comments, or
 * with an empty line; a line that begins with a colon is a command of the shell, unless a statement is open.
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

export class StatementReader {
  readonly #language: () => Language | undefined;
  #open = '';

  /** `language` is the one that is chosen; undefined: by the first word. */
  constructor(language: () => Language | undefined) {
    this.#language = language;
  }

  /** Whether a statement has begun. */
  get isOpen(): boolean {
    return this.#open.trim() !== '';
  }

  /** The statements and commands that this line completes, without their semicolons. */
  add(line: string): readonly string[] {
    if (!this.isOpen) {
      const command = line.trim();
      if (command.startsWith(':')) return [command];
      if (command === '') return [];
    }
    if (line.trim() === '') return this.end();
    this.#open += `${line}\n`;
    const found: string[] = [];
    for (let end = this.#endOfFirst(); end !== undefined; end = this.#endOfFirst()) {
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

  /** Where the first statement has its semicolon. */
  #endOfFirst(): number | undefined {
    const text = this.#open;
    const skipped = SKIPPED[this.#language() ?? languageOf(text)];
    for (let at = 0; at < text.length; at++) {
      skipped.lastIndex = at;
      if (skipped.test(text)) {
        at = skipped.lastIndex - 1;
        continue;
      }
      OPENING.lastIndex = at;
      if (OPENING.test(text)) return undefined;
      if (text[at] === ';') return at;
    }
    return undefined;
  }
}
