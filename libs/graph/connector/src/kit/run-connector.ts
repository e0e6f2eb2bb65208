import {
  completeEntity,
  type EntityInput,
  type PartialRelationships,
  type RelationshipInput,
  type UnreadEntities,
} from '#graph/model';
import { DomainError, Secret } from '#platform/foundation';
import type { ConnectorType } from '../config/connector-type.ts';
import { readConnector } from '../config/read-connector.ts';
import { missingWords } from '../config/vocabulary.ts';
import { collect, type CollectedIncrement, type CollectOptions } from '../run/collect.ts';
import type { CollectionReport } from '../run/run-report.ts';
import type { Step } from '../run/step.ts';

/** The emitted entities and relationships of a run, for tests. */
export interface TestRun {
  readonly entities: readonly EntityInput[];
  readonly relationships: readonly RelationshipInput[];
  /** What a sync would keep because of unresolved references. */
  readonly partialRelationships: readonly PartialRelationships[];
  /** What a sync would keep because it could not be read. */
  readonly unread: readonly UnreadEntities[];
  readonly report: CollectionReport;
  /** What was read as changes; undefined if everything was read. */
  readonly increment: CollectedIncrement | undefined;
  /** What incremental steps keep for the next run, by the step's id. */
  readonly cursors: Readonly<Record<string, string>>;
}

export interface TestRunOptions extends CollectOptions {
  /** The configuration as in a file, with the same checks. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Environment variables for `*_env` keys. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What incremental steps kept in an earlier run, by the step's id. */
  readonly cursors?: Readonly<Record<string, string>>;
}

/**
 * Runs a connector without a graph. Throws INVALID_CONFIG for a bad configuration, and CONFLICT if it says
 * what its vocabulary lacks.
 */
export async function runConnector(type: ConnectorType, options: TestRunOptions = {}): Promise<TestRun> {
  const { config = {}, environment = {}, cursors = {}, ...rest } = options;
  const text = JSON.stringify({ id: 'test', connector: type.name, config });
  const connector = readConnector(text, 'test.yaml', { types: [type], environment });
  const ready = { ...connector.prepare(), cursors: new Map(Object.entries(cursors)) };
  const run = testRun(await collect(ready, rest));
  const missing = type.vocabulary === undefined ? [] : missingWords(type.vocabulary, run);
  if (missing.length === 0) return run;
  const { name } = type;
  throw new DomainError('CONFLICT', `the vocabulary of ${name} lacks ${missing.slice(0, 20).join('; ')}`);
}

/** Runs steps without a connector. */
export async function runSteps(steps: readonly Step[], options: TestRunOptions = {}): Promise<TestRun> {
  const { config = {}, environment = {}, ...rest } = options;
  const secrets = Object.values(environment).map((text) => new Secret(text));
  return testRun(await collect({ id: 'test', steps, config, secrets }, rest));
}

/** The one entity of a type and key; throws NOT_FOUND. */
export function emittedEntity(run: TestRun, type: string, key: string): EntityInput {
  const entity = run.entities.find((each) => each.type === type && each.key === key);
  if (entity !== undefined) return entity;
  const keys = run.entities.filter((each) => each.type === type).map((each) => each.key);
  throw new DomainError(
    'NOT_FOUND',
    `no ${type} ${key}; there are ${keys.slice(0, 20).join(', ') || 'none'}`,
  );
}

function testRun(collection: Awaited<ReturnType<typeof collect>>): TestRun {
  const { collected, partialRelationships, unread, increment, cursors, report } = collection;
  return {
    entities: Array.from(collected.allEntities(), completeEntity),
    relationships: [...collected.allRelationships()],
    partialRelationships,
    unread,
    report: report(),
    increment,
    cursors: Object.fromEntries(cursors),
  };
}
