/**
 * Converts messages to the bodies of REST, which the same code validates. Missing text stays missing; unknown
 * enum values and value kinds of newer clients are rejected.
 */
import {
  type AskedMoment,
  type DanglingPolicy,
  momentText,
  parseMoment,
  type SyncOptions,
} from '#graph/engine';
import type { ParseOptions } from '#graph/model';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, type RecordDiffRequest } from '#graph/query';
import { DomainError } from '#platform/foundation';
import type {
  DiffRequestWire,
  DirectionWire,
  EntityInputWire,
  EntityReferenceWire,
  IngestOptionsWire,
  OnDanglingWire,
  QueryRequestWire,
  RelationshipInputWire,
  RelationshipReferenceWire,
  SyncModeWire,
  SyncStartWire,
  ValueWire,
  WriteRequestWire,
} from '../generated/graph-messages.ts';

type Body = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, ValueWire>>;

const DANGLING: Readonly<Record<OnDanglingWire, DanglingPolicy>> = {
  ON_DANGLING_REFUSE: 'refuse',
  ON_DANGLING_SKIP: 'skip',
  ON_DANGLING_STUB: 'stub',
};

const MODES: Readonly<Record<SyncModeWire, string>> = { SYNC_MODE_DIFF: 'diff', SYNC_MODE_PATCH: 'patch' };

const DIRECTIONS: Readonly<Record<DirectionWire, 'any' | 'in' | 'out'>> = {
  DIRECTION_ANY: 'any',
  DIRECTION_IN: 'in',
  DIRECTION_OUT: 'out',
};

export function queryBody({ pql, params, includeDeleted, timeoutMs, asOf }: QueryRequestWire): Body {
  return {
    pql,
    params: valuesOf(params, 'params'),
    include_deleted: includeDeleted,
    timeout_ms: timeoutMs,
    ...(asOf !== undefined && { as_of: momentText(asOf) }),
  };
}

export function diffRequest({ from, to, type, limit, cursor }: DiffRequestWire): RecordDiffRequest {
  if (limit !== undefined && (limit < 1 || limit > PAGE_LIMIT_MAX))
    throw fault('limit', `expected a whole number from 1 to ${PAGE_LIMIT_MAX}`);
  return {
    from: momentOf(from, 'from'),
    to: momentOf(to, 'to'),
    type,
    limit: limit ?? PAGE_LIMIT_DEFAULT,
    cursor,
  };
}

function momentOf(text: string | undefined, field: string): AskedMoment | undefined {
  return text === undefined ? undefined : parseMoment(momentText(text), field);
}

export function writeBody(request: WriteRequestWire): Body {
  return {
    write_id: request.writeId,
    connector_id: request.connectorId,
    ...recordsBody(request),
    delete: {
      entities: request.deleteEntities.map(referenceBody),
      relationships: request.deleteRelationships.map(referenceBody),
    },
  };
}

export function recordsBody({ entities, relationships }: RecordsWire): {
  readonly entities: readonly Body[];
  readonly relationships: readonly Body[];
} {
  return { entities: entities.map(entityBody), relationships: relationships.map(relationshipBody) };
}

interface RecordsWire {
  readonly entities: readonly EntityInputWire[];
  readonly relationships: readonly RelationshipInputWire[];
}

/** The body of a sync request, to which its records are added. */
export function syncBody(start: SyncStartWire): Body {
  return {
    connector_id: start.connectorId,
    sync_id: start.syncId,
    mode: wordOf(MODES, start.mode, 'mode'),
    partial_types: start.partialTypes,
    partial_relationships: start.partialRelationships.map(({ verb, end, type, key }) => ({
      verb,
      end,
      type,
      key,
    })),
    force: start.force,
    priority: start.priority === undefined ? undefined : Number(start.priority),
    max_delete_ratio: start.maxDeleteRatio,
  };
}

export function parseOptionsOf(options: IngestOptionsWire | null): ParseOptions {
  return {
    flatten: options?.flatten ?? false,
    largeIntegers: options?.largeIntegersAsText === true ? 'string' : undefined,
  };
}

export function syncOptionsOf(start: SyncStartWire): SyncOptions {
  return { dryRun: start.dryRun, onDangling: danglingOf(start.options) };
}

/** Undefined selects the engine's default. */
export function danglingOf(options: IngestOptionsWire | null): DanglingPolicy {
  return wordOf(DANGLING, options?.onDangling ?? 'ON_DANGLING_REFUSE', 'on_dangling');
}

export function directionOf(direction: DirectionWire): 'any' | 'in' | 'out' {
  return wordOf(DIRECTIONS, direction, 'direction');
}

function entityBody({ type, key, class: name, displayName, labels, properties }: EntityInputWire): Body {
  return {
    type,
    key,
    class: name,
    display_name: displayName,
    labels: labels?.names,
    properties: valuesOf(properties, 'properties'),
  };
}

function relationshipBody({ from, verb, to, key, properties }: RelationshipInputWire): Body {
  return { from, verb, to, key, properties: valuesOf(properties, 'properties') };
}

function referenceBody(reference: EntityReferenceWire | RelationshipReferenceWire): unknown {
  return reference.reference === 'id' ? reference.id : withoutMarks(reference.key);
}

/** Synthetic oneofs of optional fields add fields with their names. */
function withoutMarks(key: object | undefined): unknown {
  if (key === undefined) return undefined;
  return Object.fromEntries(Object.entries(key).filter(([name]) => !name.startsWith('_')));
}

function valuesOf(values: Values, field: string): Body {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, plainValue(value, `${field}.${name}`)]),
  );
}

/** An integer beyond the exact range becomes a bigint, as in exactly parsed JSON. */
function plainValue(value: ValueWire, field: string): unknown {
  switch (value.kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
      return value.boolValue;
    case 'int64Value':
      return integerOf(value.int64Value ?? '0');
    case 'doubleValue':
      return value.doubleValue;
    case 'stringValue':
      return value.stringValue;
    case 'listValue':
      return value.listValue?.values.map((item) => plainValue(item, field));
    case 'mapValue':
      return valuesOf(value.mapValue?.fields ?? {}, field);
    default:
      throw fault(field, 'expected a value of a kind that is known here');
  }
}

function integerOf(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** Unknown enum numbers arrive as numbers. */
function wordOf<Name extends string, Word>(
  words: Readonly<Record<Name, Word>>,
  name: Name,
  field: string,
): Word {
  if (Object.hasOwn(words, name)) return words[name];
  throw fault(field, `expected ${Object.keys(words).join(', ')}`);
}

function fault(field: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
