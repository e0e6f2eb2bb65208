/** The forms of a document: of SharpHound, of AzureHound, or OpenGraph. */
import { FieldPath, isJsonObject, type JsonObject, jsonObject, kindOf } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseJson } from '../document/json-text.ts';
import { azureStatement } from './azurehound.ts';
import { withName } from '../document/named-fault.ts';
import type { JsonFile } from './bloodhound-files.ts';
import { openGraphEdge, openGraphNode } from './opengraph-document.ts';
import { NAMED } from './sharphound-edges.ts';
import { DELETED, deletedStatement, isSharpHoundType, sharpHoundStatement } from './sharphound.ts';
import { lostStatement, type Statement } from './statement.ts';

/** Files that collectors of one version write; BloodHound reads those without a version as well. */
const VERSIONS: readonly unknown[] = [5, 6, undefined];
const AZURE = 'azure';
const ELEMENTS: ReadonlySet<string> = new Set(['data', 'graph.nodes', 'graph.edges']);

/** What a document says about itself. */
export interface DocumentFacts {
  /** The type of a collector's file; undefined for OpenGraph. */
  readonly type: string | undefined;
  /** The label of all nodes of OpenGraph. */
  readonly sourceKind: string | undefined;
}

/** One element of a document: its path is one of {@link ELEMENTS}. */
export interface DocumentElement {
  readonly path: string;
  /** For messages: `data[7]`. */
  readonly place: string;
  readonly value: unknown;
}

/** The elements of a document, in order. A fault names the file and the place. */
export async function* elementsOf(file: JsonFile): AsyncGenerator<DocumentElement> {
  for await (const { path, index, text } of file.parts()) {
    if (index === undefined || !ELEMENTS.has(path)) continue;
    const place = `${path}[${index}]`;
    yield { path, place, value: parsed(file.name, place, text) };
  }
}

export function statementOf(
  { type, sourceKind }: DocumentFacts,
  { path, value }: DocumentElement,
): Statement {
  if (type === DELETED) return deletedStatement(value);
  if (!isJsonObject(value)) return lostStatement(`expected an object, got ${kindOf(value)}`);
  if (type === AZURE) return azureStatement(value);
  if (type !== undefined) return sharpHoundStatement(type, value);
  return path === 'graph.nodes' ? openGraphNode(value, sourceKind) : openGraphEdge(value, sourceKind);
}

/**
 * Reads the description of a document, which may be after its data, and calls `see` with those elements that
 * may name objects by their values. Throws INVALID_REQUEST for another document.
 */
export async function factsOf(
  file: JsonFile,
  see: (facts: DocumentFacts, element: DocumentElement) => void,
): Promise<DocumentFacts> {
  const fields = new Map<string, JsonObject>();
  const lists = new Set<string>();
  let count = 0;
  for await (const { path, index, text } of file.parts(lists)) {
    if (path === 'data' && index !== undefined) {
      count++;
      const place = `${path}[${index}]`;
      if (text.includes(`"${NAMED}`))
        see(
          { type: 'groups', sourceKind: undefined },
          { path, place, value: parsed(file.name, place, text) },
        );
    }
    if (path === 'graph.edges' && index !== undefined) {
      const place = `${path}[${index}]`;
      see({ type: undefined, sourceKind: undefined }, { path, place, value: parsed(file.name, place, text) });
    }
    const value = index === undefined ? fieldOf(file.name, path, text) : undefined;
    if (value !== undefined) fields.set(path, value);
  }
  try {
    if (lists.has('graph.nodes') || lists.has('graph.edges'))
      return openGraphFacts(fields.get('metadata'), lists);
    return collectorFacts(fields.get('meta'), count);
  } catch (error) {
    throw withName(file.name, error);
  }
}

/** The description of the document, if the field is it. Throws for what should be a list of elements. */
function fieldOf(name: string, path: string, text: string): JsonObject | undefined {
  const isDescription = path === 'meta' || path === 'metadata';
  const value = isDescription || ELEMENTS.has(path) ? parsed(name, path, text) : null;
  if (value === null) return undefined;
  if (isDescription) return jsonObject(value, new FieldPath(), path);
  throw withName(name, refusal(`${path}: expected a list, got ${kindOf(value)}`));
}

function openGraphFacts(metadata: JsonObject | undefined, lists: ReadonlySet<string>): DocumentFacts {
  if (lists.has('data')) throw refusal('expected one document, got "data" beside "graph"');
  const kind = metadata?.['source_kind'];
  if (kind !== undefined && kind !== null && typeof kind !== 'string')
    throw refusal(`metadata.source_kind: expected a text, got ${typeof kind}`);
  return { type: undefined, sourceKind: kind === null || kind === '' ? undefined : kind };
}

function collectorFacts(meta: JsonObject | undefined, count: number): DocumentFacts {
  if (meta === undefined)
    throw refusal(
      'expected a file of SharpHound, AzureHound or OpenGraph, got a document without "meta" and "graph"',
    );
  const { type, version, count: stated } = meta;
  if (typeof type !== 'string' || (type !== AZURE && !isSharpHoundType(type)))
    throw refusal(`meta.type: expected azure or a type of SharpHound, got ${String(type).slice(0, 40)}`);
  if (!VERSIONS.includes(version))
    throw refusal(`meta.version: expected 5 or 6, got ${String(version).slice(0, 40)}`);
  if (typeof stated === 'number' && stated > count)
    throw refusal(`meta.count: expected ${stated} objects, got ${count}: the file is cut`);
  return { type, sourceKind: undefined };
}

function refusal(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}

function parsed(name: string, place: string, text: string): unknown {
  try {
    return parseJson(text, `JSON in ${place}`);
  } catch (error) {
    throw withName(name, error);
  }
}
