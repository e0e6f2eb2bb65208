/** Sets of saved queries as documents: `{version?: 1, queries: […]}`, as YAML or as JSON. */
import { readShape, YamlDocument, yamlText } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { checkText, type FaultAt, QUERY_SET_SHAPE, readSavedQuery, type SavedQuery } from './saved-query.ts';

/**
 * Reads a file of queries, all or nothing. Throws INVALID_REQUEST with `file:line:column` for the first
 * fault, and PQL_SYNTAX with the query's name in its details for an invalid query text.
 */
export function parseQueryYaml(yaml: string, file: string): readonly SavedQuery[] {
  const document = asRequestFault(() => YamlDocument.parse(yaml, file));
  return readSet(document.value, (path, message, at) => {
    const { message: placed, details } = document.fault(path, message, at);
    return new DomainError('INVALID_REQUEST', placed, { details: { ...details } });
  });
}

/** Parses saved queries of JSON; faults are identified by their path. */
export function parseQueryJson(value: unknown): readonly SavedQuery[] {
  return readSet(value, jsonFault);
}

/** One query of JSON. Throws like {@link parseQueryYaml}. */
export function parseSavedQuery(value: unknown): SavedQuery {
  return readSavedQuery(value, jsonFault);
}

/** A file that {@link parseQueryYaml} reads back to equal queries. */
export function queryYaml(queries: readonly SavedQuery[]): string {
  const written = queries.map(({ name, description, text, tags, parameters }) => ({
    name,
    ...(description !== '' && { description }),
    text,
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  }));
  return yamlText({ version: 1, queries: written });
}

function readSet(value: unknown, faultAt: FaultAt): readonly SavedQuery[] {
  const { queries } = readShape(QUERY_SET_SHAPE, value, ({ path, message, at }) =>
    faultAt(path, message, at),
  );
  const names = new Set<string>();
  for (const [index, query] of queries.entries()) {
    const inside: FaultAt = (path, message, at) => faultAt(['queries', index, ...path], message, at);
    if (names.has(query.name)) throw inside(['name'], `duplicate name ${JSON.stringify(query.name)}`);
    names.add(query.name);
    checkNamed(query, inside);
  }
  return queries;
}

/** Checks a query of a set of many: its fault must name it. */
function checkNamed(query: SavedQuery, faultAt: FaultAt): void {
  try {
    checkText(query, faultAt);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'PQL_SYNTAX') throw error;
    const message = `${JSON.stringify(query.name)}: ${error.message}`;
    const details = { ...error.details, query: query.name };
    throw new DomainError('PQL_SYNTAX', message, { cause: error, details });
  }
}

/** The fault of a value of JSON, at its path. */
export function jsonFault(path: Parameters<FaultAt>[0], message: string): DomainError {
  const field = path.map((part, at) =>
    typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${part}`,
  );
  const name = field.join('');
  return new DomainError('INVALID_REQUEST', name === '' ? message : `${name}: ${message}`, {
    details: { field: name === '' ? 'body' : name },
  });
}

function asRequestFault<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { message, details } = error;
    throw new DomainError('INVALID_REQUEST', message, { cause: error, ...(details && { details }) });
  }
}
