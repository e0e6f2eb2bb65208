/** The body of a statement's request. */
import { type AskedMoment, parseMoment } from '#graph/engine';
import { FieldPath, isAbsent, jsonObject, refuseUnknownFields } from '#graph/model';

export interface CypherRequest {
  readonly cypher: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly limit: number;
  readonly timeoutMs: number | undefined;
  /** Undefined: the present. */
  readonly asOf?: AskedMoment | undefined;
}

/** Number of rows of a page by default, as in PQL. */
const LIMIT_DEFAULT = 1_000;
const LIMIT_MAX = 10_000;
const TIMEOUT_MS_MAX = 3_600_000;
const FIELDS: ReadonlySet<string> = new Set(['cypher', 'params', 'limit', 'timeout_ms', 'as_of']);

/** Throws INVALID_REQUEST with the field, also for an unknown one. Null means absent. */
export function parseCypherRequest(body: unknown): CypherRequest {
  const path = new FieldPath();
  const object = jsonObject(body, path);
  refuseUnknownFields(object, FIELDS, path);
  const cypher = object['cypher'];
  if (typeof cypher !== 'string') throw path.fault('cypher', 'expected a string');
  const params = object['params'] ?? {};
  return {
    cypher,
    params: jsonObject(params, path, 'params'),
    limit: countOf(object['limit'], 'limit', LIMIT_MAX) ?? LIMIT_DEFAULT,
    timeoutMs: countOf(object['timeout_ms'], 'timeout_ms', TIMEOUT_MS_MAX),
    asOf: isAbsent(object['as_of']) ? undefined : parseMoment(object['as_of'], 'as_of'),
  };
}

function countOf(value: unknown, name: string, max: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new FieldPath().fault(name, `expected a whole number from 1 to ${max}`);
}
