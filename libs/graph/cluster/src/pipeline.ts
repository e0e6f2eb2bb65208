import pg from 'pg';
import type { Statement } from './prepared-statements.ts';

export type Row = Readonly<Record<string, unknown>>;

type Results = pg.QueryResult<Row> | readonly pg.QueryResult<Row>[];

/** The texts of the statements that a connection knows, by name. */
export type KnownStatements = Record<string, string>;

/** The driver's record of what it has sent for a query to be parsed. */
interface Parse {
  readonly name?: string;
  readonly text: string;
}

/**
 * Statements that are sent with one end: the server answers them together, in one piece, and not one by one.
 * After the first one that fails, the others are not executed.
 */
export class Pipeline extends pg.Query {
  /** Called once by the driver, which sets a function of its own around it. */
  callback: (error: Error | null, results?: Results) => void;
  /** Those that were executed. */
  executed = 0;
  readonly statements: readonly Statement[];
  readonly #known: KnownStatements;
  readonly #answer = Promise.withResolvers<readonly (readonly Row[])[]>();

  /** Statements with names are prepared, unless they are in `known`. */
  constructor(statements: readonly Statement[], known: KnownStatements) {
    super({ text: '' });
    this.statements = statements;
    this.#known = known;
    this.callback = (error, results) => {
      if (error === null && results !== undefined) this.#answer.resolve(rowsOf(results));
      else this.#answer.reject(error ?? new Error('expected results'));
    };
  }

  /** The rows of each statement; rejects with the first error. */
  get answer(): Promise<readonly (readonly Row[])[]> {
    return this.#answer.promise;
  }

  override submit = (connection: pg.Connection): void => {
    const parsing: Parse[] = [];
    const isParsed = (): void => {
      const { name, text } = parsing.shift() ?? { text: '' };
      if (name !== undefined) this.#known[name] = text;
    };
    const isExecuted = (): void => {
      this.executed++;
    };
    connection.on('parseComplete', isParsed).on('commandComplete', isExecuted);
    const ended = (): void => {
      connection.off('parseComplete', isParsed).off('commandComplete', isExecuted);
    };
    this.answer.then(ended, ended);
    // To the driver's own query, a connection on which the end of each one is not sent.
    const open = Object.create(connection, {
      sync: { value: () => undefined },
      parse: {
        value: (query: Parse & pg.QueryParse, more: boolean) => {
          parsing.push(query);
          connection.parse(query, more);
        },
      },
      parsedStatements: { value: this.#known },
      submittedNamedStatements: { value: {} },
    }) as pg.Connection;
    connection.stream.cork();
    try {
      for (const { text, values = [], name } of this.statements) {
        const config = {
          text,
          values: [...values],
          queryMode: 'extended',
          ...(name !== undefined && { name }),
        };
        new pg.Query(config).submit(open);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  };
}

/** The driver gives the result of one statement, or a list of those of several. */
export function rowsOf(results: Results): readonly (readonly Row[])[] {
  return 'rows' in results ? [results.rows] : results.map(({ rows }) => rows);
}
