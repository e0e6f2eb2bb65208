import { formatTable, type Output, styled, UsageError, visibleText } from '#platform/cli';
import { nearestName } from '#platform/foundation';
import { readInput } from '../input-file.ts';
import {
  collectParam,
  asOfOf,
  FORMATS,
  type Format,
  limitOf,
  type Params,
  showQuery,
  withPqlPlace,
} from '../query.ts';
import { showCypher, withCypherPlace } from '../cypher.ts';
import type { CommandTarget, NamesInData } from '../target/target.ts';
import { completionsOf } from './shell-completion.ts';
import { type Language, languageOf, type ShellSyntax, StatementReader } from './statement-reader.ts';

interface ShellCommand {
  readonly usage: string;
  readonly about: string;
  readonly run: (argument: string, signal: AbortSignal) => void | Promise<void>;
}

const MS_PER_S = 1_000;

/** What a shell remembers between statements, and how it runs one. */
export class ShellSession implements ShellSyntax {
  readonly #target: CommandTarget;
  readonly #output: Output;
  readonly #commands: Readonly<Record<string, ShellCommand>>;
  #format: Format;
  #language: Language | undefined;
  #params: Params = {};
  #limit: string | undefined;
  #asOf: string | undefined;
  #names: NamesInData | undefined;
  #isEnded = false;

  constructor(target: CommandTarget, output: Output, format: Format) {
    this.#target = target;
    this.#output = output;
    this.#format = format;
    this.#commands = this.#commandTable();
  }

  /** Whether the user has left. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The language that is chosen; undefined: that of each statement. */
  get language(): Language | undefined {
    return this.#language;
  }

  /** Of statements and commands, for one place that they come from. */
  newReader(): StatementReader {
    return new StatementReader(this);
  }

  hasCommand(name: string): boolean {
    return Object.hasOwn(this.#commands, name);
  }

  /** Reads the names for completion anew: the data may have changed. */
  async learnNames(): Promise<void> {
    this.#names = await this.#target.schema();
  }

  complete(line: string): [string[], string] {
    return completionsOf(line, {
      language: this.#language ?? languageOf(line),
      names: this.#names,
      parameters: Object.keys(this.#params),
      commands: Object.keys(this.#commands).map((name) => `:${name}`),
    });
  }

  /** Runs a statement, or a command that begins with a colon. Throws its failure with its place. */
  async run(entry: string, signal: AbortSignal): Promise<void> {
    if (!entry.startsWith(':')) return this.#ask(entry, signal);
    const [, name = '', argument = ''] = /^:(\S*)\s*(.*)$/s.exec(entry) ?? [];
    const command = this.hasCommand(name) ? this.#commands[name] : undefined;
    if (command !== undefined) return command.run(argument.trim(), signal);
    const nearest = nearestName(name, Object.keys(this.#commands));
    const hint = nearest === undefined ? 'see :help' : `did you mean :${nearest}?`;
    throw new UsageError(`there is no command :${visibleText(name)}, ${hint}`);
  }

  async #ask(statement: string, signal: AbortSignal): Promise<void> {
    const shown = { format: this.#format, output: this.#output, signal };
    const request = { params: this.#params, ...limitOf(this.#limit), ...asOfOf(this.#asOf) };
    const startMs = performance.now();
    if ((this.#language ?? languageOf(statement)) === 'pql') {
      await showQuery(this.#target, { pql: statement, ...request }, shown).catch(async (error: unknown) => {
        throw await withPqlPlace(error, statement);
      });
    } else {
      await showCypher(this.#target, { cypher: statement, ...request }, shown).catch((error: unknown) => {
        throw withCypherPlace(error, statement);
      });
    }
    if (!process.stdout.isTTY || this.#format !== 'table') return;
    const seconds = (performance.now() - startMs) / MS_PER_S;
    await this.#output.line(styled('dim', `${seconds.toFixed(3)} s`));
  }

  #commandTable(): Readonly<Record<string, ShellCommand>> {
    return {
      help: { usage: '', about: 'this list', run: () => this.#help() },
      format: {
        usage: FORMATS.join('|'),
        about: 'how answers are printed',
        run: (text) => this.#setFormat(text),
      },
      pql: { usage: '', about: 'take every statement as PQL', run: () => this.#setLanguage('pql') },
      cypher: { usage: '', about: 'take every statement as Cypher', run: () => this.#setLanguage('cypher') },
      auto: {
        usage: '',
        about: 'tell the language by the first word (default)',
        run: () => this.#setLanguage(undefined),
      },
      param: {
        usage: 'name=value',
        about: 'value of $name, as JSON or text; not kept in the history',
        run: (text) => this.#setParam(text),
      },
      params: { usage: '', about: 'names and values of the parameters', run: () => this.#showParams() },
      unset: { usage: 'name', about: 'remove a parameter', run: (name) => this.#unset(name) },
      limit: { usage: 'number|off', about: 'maximum number of rows', run: (text) => this.#setLimit(text) },
      'as-of': {
        usage: 'time|number|now',
        about: 'ask of the graph as it was',
        run: (text) => this.#setAsOf(text),
      },
      file: {
        usage: 'path',
        about: 'run the statements of a file',
        run: (path, signal) => this.#runFile(path, signal),
      },
      schema: { usage: '', about: 'types in the data with their properties', run: () => this.#showSchema() },
      stats: { usage: '', about: 'counts and state of the store', run: () => this.#showStats() },
      quit: { usage: '', about: 'leave; also :exit and Ctrl-D', run: () => this.#leave() },
      exit: { usage: '', about: 'leave', run: () => this.#leave() },
    };
  }

  async #help(): Promise<void> {
    const commands = Object.entries(this.#commands).map(([name, { usage, about }]) => [
      `:${name} ${usage}`,
      about,
    ]);
    const width = Math.max(...commands.map(([name = '']) => name.length));
    const lines = commands.map(([name = '', about = '']) => `  ${name.padEnd(width)}  ${about}`);
    await this.#output.line(
      [
        'A statement of PQL or Cypher ends with ; or an empty line. Tab completes, Ctrl-C stops a running one.',
        'A command works also between the lines of a statement, which stays open.',
        '',
        '  FIND Host WITH os = $os LIMIT 5;',
        '  MATCH (h:Host)-[:RUNS]->(s) RETURN h.name, count(s);',
        '',
        ...lines,
      ].join('\n'),
    );
  }

  #setFormat(text: string): void {
    const format = FORMATS.find((each) => each === text);
    if (format === undefined) throw new UsageError(`:format: expected ${FORMATS.join(', ')}`);
    this.#format = format;
  }

  #setLanguage(language: Language | undefined): void {
    this.#language = language;
  }

  #setParam(text: string): void {
    if (!/^\$?\w+=/.test(text)) throw new UsageError(':param: expected name=value');
    this.#params = collectParam(text, this.#params);
  }

  async #showParams(): Promise<void> {
    const rows = Object.entries(this.#params).map(([name, value]) => [`$${name}`, JSON.stringify(value)]);
    await this.#output.line(rows.length === 0 ? 'no parameters' : formatTable(['name', 'value'], rows));
  }

  #unset(given: string): void {
    const name = given.replace(/^\$/, '');
    if (!Object.hasOwn(this.#params, name))
      throw new UsageError(`:unset: there is no parameter ${visibleText(name)}`);
    this.#params = Object.fromEntries(Object.entries(this.#params).filter(([each]) => each !== name));
  }

  #setLimit(text: string): void {
    const limit = text === 'off' ? undefined : text;
    limitOf(limit);
    this.#limit = limit;
  }

  #setAsOf(text: string): void {
    if (text === '') throw new UsageError(':as-of: expected a time, a sequence number, or now');
    this.#asOf = text === 'now' ? undefined : text;
  }

  async #runFile(path: string, signal: AbortSignal): Promise<void> {
    if (path === '') throw new UsageError(':file: expected a path');
    const text = Buffer.from(await readInput(path)).toString('utf8');
    const reader = this.newReader();
    const statements = [...text.split('\n').flatMap((line) => reader.add(line)), ...reader.end()];
    for (const statement of statements) {
      if (signal.aborted) return;
      await this.run(statement, signal);
    }
  }

  async #showSchema(): Promise<void> {
    await this.learnNames();
    const rows = (this.#names?.types ?? []).map(({ name, properties }) => [
      name,
      properties.map((property) => property.name).join(', '),
    ]);
    await this.#output.line(formatTable(['type', 'properties'], rows));
  }

  async #showStats(): Promise<void> {
    await this.#output.line(JSON.stringify(await this.#target.stats(), null, 2));
  }

  #leave(): void {
    this.#isEnded = true;
  }
}
