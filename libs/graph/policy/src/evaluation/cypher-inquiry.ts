import { ReadingStatement, type ReadRows } from '#graph/cypher';
import { isKnownClass, isKnownVerb, type Warning } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { RuleException } from '../rule/rule.ts';
import { entityResults, groupResults, type Results } from './results.ts';
import type { Found, InquiryGround, RuleInquiry } from './rule-inquiry.ts';

/**
 * A rule with `cypher`. A result is the entity in the first column of a row, or at the start of a path there:
 * each one once. Where the first column has other values, a result is a row: a group.
 */
export class CypherInquiry implements RuleInquiry {
  readonly #ground: InquiryGround;
  readonly #statement: ReadingStatement;
  #rows: ReadRows | undefined;
  /** The rows of each result. */
  #rowsOf: readonly (readonly number[])[] = [];

  constructor(ground: InquiryGround) {
    this.#ground = ground;
    this.#statement = new ReadingStatement(ground.task.rule.cypher ?? '');
  }

  find(): Found {
    const { reader, task, warn } = this.#ground;
    const rows = this.#run(this.#statement);
    this.#rows = rows;
    const { may_be_absent: mayBeAbsent } = task.rule;
    const isKnown = (name: string): boolean =>
      mayBeAbsent.includes(name) || isKnownClass(name) || isKnownVerb(name);
    const warnings = this.#statement.unknownNames(reader, isKnown);
    warn(warnings);
    return { results: this.#resultsOf(rows), warnings };
  }

  countOf(population: string): number {
    const rows = this.#run(new ReadingStatement(population));
    return new Set(nodesOf(rows, 'population')).size;
  }

  /** A result is waived only if each of its rows meets the condition. */
  *matching({ match }: RuleException): Iterable<number> {
    const condition = this.#statement.condition(match);
    for (const [index, rows] of this.#rowsOf.entries()) {
      if (rows.every((row) => this.#rows?.meets(row, condition))) yield index;
    }
  }

  missing(): readonly Warning[] {
    const { reader, task } = this.#ground;
    return this.#statement.missingNames(reader, task.rule.may_be_absent);
  }

  missingIn({ match }: RuleException): readonly Warning[] {
    const { reader, task } = this.#ground;
    const condition = this.#statement.condition(match);
    return this.#statement.missingInCondition(condition, reader, task.rule.may_be_absent);
  }

  #run(statement: ReadingStatement): ReadRows {
    const { reader, clock, params, leftMs } = this.#ground;
    return statement.run(reader, { parameters: params, timeoutMs: leftMs(), clock });
  }

  #resultsOf(rows: ReadRows): Results {
    const { reader, task } = this.#ground;
    if (isOfEntities(rows)) {
      const byNode = grouped(nodesOf(rows, 'cypher'));
      this.#rowsOf = [...byNode.values()];
      return entityResults(task.rule, reader, Uint32Array.from(byNode.keys()));
    }
    if (task.rule.identity.length > 0)
      throw fault(
        'identity: the first column of the statement is no node: groups have an identity of their own',
      );
    const keys = Array.from({ length: rows.count }, (_, row) => rows.valuesAt(row));
    const byKeys = grouped(keys.map((each) => JSON.stringify(each)));
    this.#rowsOf = [...byKeys.values()];
    return groupResults(
      task.rule,
      this.#rowsOf.map(([first = 0]) => keys[first] ?? []),
    );
  }
}

function isOfEntities(rows: ReadRows): boolean {
  for (let row = 0; row < rows.count; row++) if (typeof rows.nodeAt(row) === 'number') return true;
  return rows.count === 0;
}

/** The node of each row. Throws where a row has none: what it would say of the graph is not known. */
function nodesOf(rows: ReadRows, field: 'cypher' | 'population'): readonly number[] {
  return Array.from({ length: rows.count }, (_, row) => {
    const node = rows.nodeAt(row);
    if (typeof node === 'number') return node;
    const got = node === null ? 'null' : 'another value';
    throw fault(`${field}: expected a node in the first column of each row, got ${got} in row ${row + 1}`);
  });
}

/** Numbers of equal items, by item. */
function grouped<Item>(items: readonly Item[]): ReadonlyMap<Item, readonly number[]> {
  const groups = new Map<Item, number[]>();
  for (const [index, item] of items.entries()) {
    const group = groups.get(item);
    if (group === undefined) groups.set(item, [index]);
    else group.push(index);
  }
  return groups;
}

function fault(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
