/**
 * Statements that the server parses and plans once a connection. A pooler that gives each transaction another
 * connection of its own may not know them there, or may know those of another client.
 */
import { createHash } from 'node:crypto';
import { codeOf } from './sql-error.ts';

const NAME_DIGITS = 16;
/** SQLSTATE of a statement that is not known by its name, and of one that is known already. */
const NOT_KEPT = new Set(['26000', '42P05']);

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Of a prepared statement; equal texts have equal names, whoever prepares them. */
  readonly name?: string;
}

/** A text that never changes. */
export interface PreparedText {
  with(values: readonly unknown[]): Statement;
}

export function prepared(text: string): PreparedText {
  const name = `plexus_${createHash('sha256').update(text).digest('hex').slice(0, NAME_DIGITS)}`;
  return { with: (values) => ({ text, values, name }) };
}

/** Whether the connections of a node keep prepared statements. */
export class StatementKeeping {
  #isKept = true;
  readonly #onEnd: () => void;

  /** `onEnd` is called once, when they turn out not to. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  /** Notes a failed statement. Its transaction is rolled back, and may be repeated. */
  note(error: unknown): void {
    if (!this.#isKept || !isNotKept(error)) return;
    this.#isKept = false;
    this.#onEnd();
  }
}

function isNotKept(error: unknown): boolean {
  return NOT_KEPT.has(codeOf(error) ?? '');
}
