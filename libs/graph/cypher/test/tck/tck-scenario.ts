/** Reads the kit's feature files and runs one scenario against this library. */
import { AstBuilder, compile, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import { IdGenerator, type Pickle, type PickleStep, type PickleTable } from '@cucumber/messages';
import { DomainError } from '#platform/foundation';
import type { Run } from '../../src/graph/run.ts';
import { parse } from '../../src/parser/parse.ts';
import { compileStatement } from '../../src/query/compile-query.ts';
import { single } from '../../src/stage/stage.ts';
import { SyntaxFault } from '../../src/syntax/fault.ts';
import type { Value } from '../../src/value/value.ts';
import { ListGraph } from './list-graph.ts';
import { normalText, writtenValue } from './tck-value.ts';

export function scenariosOf(uri: string, text: string): readonly Pickle[] {
  const newId = IdGenerator.uuid();
  const parser = new Parser(new AstBuilder(newId), new GherkinClassicTokenMatcher());
  return compile(parser.parse(text), uri, newId);
}

/** What a statement gave: rows of values by column, or an error. */
interface Outcome {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  readonly error: DomainError | undefined;
}

/** Undefined when the scenario holds, else why it does not. */
export function failureOf({ steps }: Pickle, graphs: ReadonlyMap<string, string>): string | undefined {
  const scenario = new Scenario(graphs);
  for (const step of steps) {
    const failure = scenario.step(step);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

class Scenario {
  readonly #graphs: ReadonlyMap<string, string>;
  readonly #graph = new ListGraph();
  readonly #parameters = new Map<string, Value>();
  #outcome: Outcome = { columns: [], rows: [], error: undefined };

  constructor(graphs: ReadonlyMap<string, string>) {
    this.#graphs = graphs;
  }

  step({ text, argument }: PickleStep): string | undefined {
    const statement = argument?.docString?.content ?? '';
    const named = /^the (\S+) graph$/.exec(text)?.[1];
    switch (named === undefined ? text : 'named graph') {
      case 'an empty graph':
      case 'any graph':
      case 'no side effects':
        return undefined;
      case 'named graph':
        return this.#seed(this.#graphs.get(named ?? '') ?? '');
      case 'having executed:':
        return this.#seed(statement);
      case 'parameters are:':
        this.#setParameters(argument?.dataTable);
        return undefined;
      case 'executing query:':
      case 'executing control query:':
        this.#outcome = this.#execute(statement);
        return undefined;
      default:
        return this.#expect(text, argument?.dataTable);
    }
  }

  #seed(statement: string): string | undefined {
    const { error } = this.#execute(statement);
    return error && `the given statement failed: ${error.message}`;
  }

  #setParameters(table: PickleTable | undefined): void {
    for (const [name = '', text = ''] of cellsOf(table)) {
      const { rows } = this.#execute(`RETURN ${text} AS value`);
      this.#parameters.set(name, rows[0]?.[0] ?? null);
    }
  }

  #execute(text: string): Outcome {
    try {
      const compiled = compileStatement(parse(text).query);
      const columns = compiled.columns ?? [];
      const rows: (readonly Value[])[] = [];
      for (const row of compiled.stage(single([]), this.#run())) {
        if (row !== undefined) rows.push(columns.map(({ slot }) => row[slot] ?? null));
      }
      return { columns: columns.map(({ name }) => name), rows, error: undefined };
    } catch (error) {
      const fault = error instanceof SyntaxFault ? error.toDomainError(text) : error;
      if (!(fault instanceof DomainError)) throw fault;
      return { columns: [], rows: [], error: fault };
    }
  }

  #run(): Run {
    const nothing = (): void => undefined;
    const [graph, parameters] = [this.#graph, this.#parameters];
    return {
      graph,
      writer: graph,
      parameters,
      nowMs: 0,
      realtimeMs: () => 0,
      random: () => 0.5,
      tick: nothing,
      hold: nothing,
    };
  }

  #expect(text: string, table: PickleTable | undefined): string | undefined {
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
    return this.#outcome.rows.map((row) =>
      row.map((value) => writtenValue(value, this.#graph, isUnordered)).join('|'),
    );
  }
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
