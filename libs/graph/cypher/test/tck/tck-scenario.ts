/** Reads the kit's feature files and runs one scenario against this library. */
import { AstBuilder, compile, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import { IdGenerator, type Pickle, type PickleStep, type PickleTable } from '@cucumber/messages';
import { DomainError } from '#platform/foundation';
import type { StatementResult } from '../../src/service/transaction.port.ts';
import type { Value } from '../../src/value/value.ts';
import type { GraphState, TckGraph } from './tck-graph.ts';
import { tableProcedure } from './table-procedure.ts';
import { normalText, writtenValue } from './tck-value.ts';

export function scenariosOf(uri: string, text: string): readonly Pickle[] {
  const newId = IdGenerator.uuid();
  const parser = new Parser(new AstBuilder(newId), new GherkinClassicTokenMatcher());
  return compile(parser.parse(text), uri, newId);
}

/** What a statement gave: rows of values by column, as the kit writes them, or an error. */
interface Outcome {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  readonly graph: StatementResult['graph'] | undefined;
  readonly error: DomainError | undefined;
}

const NOTHING: Outcome = { columns: [], rows: [], graph: undefined, error: undefined };

export interface Surroundings {
  readonly graph: TckGraph;
  /** The statements that make the named graphs. */
  readonly namedGraphs: ReadonlyMap<string, string>;
}

/** Undefined when the scenario holds, else why it does not. */
export async function failureOf({ steps }: Pickle, around: Surroundings): Promise<string | undefined> {
  await around.graph.clear();
  const scenario = new Scenario(
    around,
    steps.some(({ text }) => text.includes('side effects')),
  );
  for (const step of steps) {
    const failure = await scenario.step(step);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

class Scenario {
  readonly #around: Surroundings;
  readonly #watchesEffects: boolean;
  readonly #parameters = new Map<string, Value>();
  #outcome = NOTHING;
  #before: GraphState | undefined;

  constructor(around: Surroundings, watchesEffects: boolean) {
    this.#around = around;
    this.#watchesEffects = watchesEffects;
  }

  async step({ text, argument }: PickleStep): Promise<string | undefined> {
    const statement = argument?.docString?.content ?? '';
    const named = /^the (\S+) graph$/.exec(text)?.[1];
    if (named !== undefined) return this.#seed(this.#around.namedGraphs.get(named) ?? '');
    switch (text) {
      case 'having executed:':
        return this.#seed(statement);
      case 'parameters are:':
        await this.#setParameters(argument?.dataTable);
        return undefined;
      case 'executing query:':
      case 'executing control query:':
        if (this.#watchesEffects) this.#before = await this.#around.graph.state();
        this.#outcome = await this.#execute(statement);
        return undefined;
      case 'no side effects':
      case 'the side effects should be:':
        return this.#expectEffects(cellsOf(argument?.dataTable));
      default:
        return this.#declareOrExpect(text, argument?.dataTable);
    }
  }

  #declareOrExpect(text: string, table: PickleTable | undefined): string | undefined | Promise<undefined> {
    const isProcedure = text.startsWith('there exists a procedure');
    return isProcedure ? this.#declare(text, table) : this.#expect(text, table);
  }

  async #declare(text: string, table: PickleTable | undefined): Promise<undefined> {
    const values: (readonly Value[])[] = [];
    for (const row of cellsOf(table).slice(1)) {
      const { rows } = await this.#execute(
        `RETURN ${row.map((cell, at) => `${cell} AS c${String(at)}`).join()}`,
      );
      values.push(rows[0] ?? []);
    }
    this.#around.graph.declare(tableProcedure(text.replace('there exists a procedure', '').trim(), values));
  }

  async #seed(statement: string): Promise<string | undefined> {
    const { error } = await this.#execute(statement);
    return error && `the given statement failed: ${error.message}`;
  }

  async #setParameters(table: PickleTable | undefined): Promise<void> {
    for (const [name = '', text = ''] of cellsOf(table)) {
      const { rows } = await this.#execute(`RETURN ${text} AS value`);
      this.#parameters.set(name, rows[0]?.[0] ?? null);
    }
  }

  async #execute(text: string): Promise<Outcome> {
    try {
      const result = await this.#around.graph.run(text, this.#parameters);
      const { columns, graph } = result;
      return { columns, rows: await result.take(Infinity), graph, error: undefined };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { ...NOTHING, error };
    }
  }

  async #expectEffects(cells: readonly (readonly string[])[]): Promise<string | undefined> {
    const [before, after] = [this.#before, await this.#around.graph.state()];
    if (before === undefined) return 'the state before the statement is not known';
    const got = EFFECTS.flatMap((name) => [
      ...effect(`+${name}`, missing(after[name], before[name])),
      ...effect(`-${name}`, missing(before[name], after[name])),
    ]);
    const expected = cells.map(([name = '', count = '']) => `${name} ${count}`);
    const [a, b] = [expected.sort().join(), got.sort().join()];
    return a === b ? undefined : `expected the side effects ${a}, got ${b}`;
  }

  #expect(text: string, table: PickleTable | undefined): string | undefined {
    if (text === 'an empty graph' || text === 'any graph') return undefined;
    const { error } = this.#outcome;
    const raised = /^an? (\w+) should be raised at ([a-z ]+): (\S+)$/.exec(text);
    if (raised !== null) return expectError(error, raised[3] ?? '', raised[2] === 'compile time');
    if (error !== undefined) return `unexpected error: ${error.message}`;
    if (text === 'the result should be empty') {
      return this.#outcome.rows.length === 0
        ? undefined
        : `expected no rows, got ${this.#written(false).join(' ')}`;
    }
    if (text.startsWith('the result should be')) return this.#expectRows(text, cellsOf(table));
    return `the step is not supported: ${text}`;
  }

  #expectRows(text: string, [header = [], ...cells]: readonly (readonly string[])[]): string | undefined {
    const { columns } = this.#outcome;
    if ([...columns].sort().join() !== [...header].sort().join()) {
      return `expected the columns ${header.join()}, got ${columns.join()}`;
    }
    const isUnordered = text.includes('ignoring element order');
    const isOrdered = text.includes('in order');
    const order = columns.map((name) => header.indexOf(name));
    const expected = cells.map((row) => order.map((at) => normalText(row[at] ?? '', isUnordered)).join('|'));
    const got = [...this.#written(isUnordered)];
    const [a, b] = isOrdered ? [expected, got] : [expected.sort(), got.sort()];
    return a.join('\n') === b.join('\n') ? undefined : `expected ${a.join(' ; ')} got ${b.join(' ; ')}`;
  }

  #written(isUnordered: boolean): readonly string[] {
    const { rows, graph } = this.#outcome;
    return rows.map((row) =>
      row.map((value) => (graph === undefined ? '' : writtenValue(value, graph, isUnordered))).join('|'),
    );
  }
}

const EFFECTS = ['nodes', 'relationships', 'labels', 'properties'] as const;

function effect(name: string, count: number): readonly string[] {
  return count === 0 ? [] : [`${name} ${String(count)}`];
}

/** How many of the texts the others have not. */
function missing(texts: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return texts.difference(others).size;
}

function expectError(error: DomainError | undefined, kind: string, isEarly: boolean): string | undefined {
  if (error === undefined) return `expected the error ${kind}, got a result`;
  if (kind !== '*' && error.details?.['kind'] !== kind) {
    return `expected the error ${kind}, got ${String(error.details?.['kind'])}: ${error.message}`;
  }
  return isEarly && error.code !== 'CYPHER_SYNTAX' ? `expected ${kind} before the run` : undefined;
}

function cellsOf(table: PickleTable | undefined): readonly (readonly string[])[] {
  return table?.rows.map(({ cells }) => cells.map(({ value }) => value)) ?? [];
}
