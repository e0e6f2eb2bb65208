import pg from 'pg';
import type { Statement } from './prepared-statements.ts';

export type Row = Readonly<Record<string, unknown>>;

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** What a connection has prepared, by name, with the columns of the rows once the server has told them. */
export type KnownStatements = Map<string, readonly Column[] | undefined>;

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: TypeId }[];
}

/**
 * Statements that are sent with one end: the server answers them together, in one piece, and not one by one.
 * After the first one that fails, the others are not executed. The driver has a query for one statement only;
 * its methods, which it calls with the messages of the server, are replaced here.
 */
export class Pipeline extends pg.Query {
  /** Called once; the driver sets a function of its own around it. */
  callback: (error: Error | null) => void;
  readonly statements: readonly Statement[];
  readonly #known: KnownStatements;
  readonly #answer = Promise.withResolvers<readonly (readonly Row[])[]>();
  readonly #results: (readonly Row[])[] = [];
  #columns: readonly Column[] | undefined;
  #rows: Row[] = [];
  #fault: Error | undefined;

  /** Statements with names are prepared, unless they are in `known`. */
  constructor(statements: readonly Statement[], known: KnownStatements) {
    super({ text: '' });
    this.statements = statements;
    this.#known = known;
    this.callback = (error) => {
      if (error === null) this.#answer.resolve(this.#results);
      else this.#answer.reject(error);
    };
  }

  /** The rows of each statement; rejects with the first error. */
  get answer(): Promise<readonly (readonly Row[])[]> {
    return this.#answer.promise;
  }

  /** The number of statements that were executed. */
  get executed(): number {
    return this.#results.length;
  }

  override submit = (connection: pg.Connection): void => {
    const parsed = this.statements.filter(({ name }) => name === undefined || !this.#known.has(name));
    if (parsed.length > 0) this.#noteParsed(connection, parsed.values());
    // One write: each costs a system call, and wakes the server.
    const pieces: Buffer[] = [];
    const stream = { writable: true, write: (piece: Buffer) => pieces.push(piece) > 0 };
    const message = Object.create(connection, { stream: { value: stream } }) as pg.Connection;
    for (const statement of this.statements) {
      const { text, values = [], name = '' } = statement;
      if (parsed.includes(statement)) message.parse({ name, text, types: [] }, true);
      message.bind({ statement: name, values: values.map(valueOf) }, true);
      if (this.#known.get(name) === undefined) message.describe({ type: 'P' }, true);
      message.execute(null, true);
    }
    message.sync();
    if (connection.stream.writable) connection.stream.write(Buffer.concat(pieces));
  };

  /** A statement that fails is prepared nevertheless, and those behind it are not. */
  #noteParsed(connection: pg.Connection, statements: Iterator<Statement, undefined>): void {
    const note = (): void => {
      const next = statements.next();
      const name = next.done === true ? undefined : next.value.name;
      if (name !== undefined) this.#known.set(name, undefined);
    };
    connection.on('parseComplete', note);
    const end = (): void => void connection.off('parseComplete', note);
    this.answer.then(end, end);
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name, dataTypeID }) => {
      const parse = pg.types.getTypeParser(dataTypeID, 'text') as Column['parse'];
      return { name, parse };
    });
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    try {
      for (const [at, { name, parse }] of this.#columnsNow.entries()) {
        const text = fields[at] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#fault ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete(): void {
    const { name } = this.statements[this.executed] ?? {};
    if (name !== undefined) this.#known.set(name, this.#columnsNow);
    this.#results.push(this.#rows);
    this.#rows = [];
    this.#columns = undefined;
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(this.#fault ?? null);
  }

  /** Of the statement that is being answered. */
  get #columnsNow(): readonly Column[] {
    const { name = '' } = this.statements[this.executed] ?? {};
    return this.#columns ?? this.#known.get(name) ?? [];
  }
}

/** As text, or as bytes. Of lists, those of numbers and identifiers are sent. */
function valueOf(value: unknown): Buffer | string | null {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return `{${value.join(',')}}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
