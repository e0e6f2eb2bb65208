/**
 * Nodes and edges of OpenGraph. A node with `plexus_type` and `plexus_key` is the entity that was exported;
 * any other one has its id as its key and `objectid`, and its first kind as its class.
 */
import { isAbsent, isJsonObject, isReservedName, type JsonObject, kindOf, MODEL_LIMITS } from '#graph/model';
import { exactText, isPlainList } from '../document/flat-properties.ts';
import { UNKNOWN } from './bloodhound-kinds.ts';
import {
  lostStatement,
  type Match,
  type Principal,
  principalOf,
  type StatedObject,
  type Statement,
} from './statement.ts';

/** Properties of a node or an edge that say what it is in the graph. */
export const OPEN_GRAPH_MARKS = {
  type: 'plexus_type',
  key: 'plexus_key',
  displayName: 'plexus_display_name',
  verb: 'plexus_verb',
} as const;
export const OPEN_GRAPH_KIND = /^\w+$/;
const OBJECT_ID = 'objectid';
const NAMES_SHOWN_MAX = 10;
const NAME_SHOWN_MAX = 60;

export function openGraphNode(node: JsonObject, sourceKind: string | undefined): Statement {
  const { id } = node;
  if (typeof id !== 'string' || id === '') return lostStatement(`id: expected a text, got ${kindOf(id)}`);
  const kinds = kindsOf(node['kinds'], sourceKind);
  if (kinds === undefined) return lostStatement('kinds: expected a list of texts');
  const [kind = UNKNOWN, ...labels] = kinds;
  const values = openGraphValues(node['properties']);
  if (typeof values === 'string') return lostStatement(values);
  const { properties: all, warning } = values;
  const { entity, properties } = entityIn(all);
  const stated = properties[OBJECT_ID];
  const isOther = typeof stated === 'string' && stated.toUpperCase() !== id.toUpperCase();
  if (isOther && entity === undefined)
    return lostStatement(`properties.objectid: expected the id ${id}, got ${stated}`);
  const object = { ...principalOf(id, kind), labels, properties };
  return { objects: [entity === undefined ? object : { ...object, entity }], edges: [], warning };
}

function kindsOf(kinds: unknown, sourceKind: string | undefined): readonly string[] | undefined {
  if (!Array.isArray(kinds)) return undefined;
  const texts = (kinds as unknown[]).filter((kind) => typeof kind === 'string').filter((kind) => kind !== '');
  if (texts.length < kinds.length) return undefined;
  return sourceKind === undefined || texts.includes(sourceKind) ? texts : [...texts, sourceKind];
}

/** The exported entity that a node is, if it is one, and its other properties. */
function entityIn(properties: JsonObject): Pick<StatedObject, 'entity' | 'properties'> {
  const { [OPEN_GRAPH_MARKS.type]: type, [OPEN_GRAPH_MARKS.key]: key, ...others } = properties;
  if (typeof type !== 'string' || typeof key !== 'string') return { properties };
  const { [OPEN_GRAPH_MARKS.displayName]: shown, ...rest } = others;
  return { entity: { type, key, displayName: typeof shown === 'string' ? shown : key }, properties: rest };
}

export function openGraphEdge(edge: JsonObject, sourceKind: string | undefined): Statement {
  const { kind } = edge;
  if (typeof kind !== 'string' || !OPEN_GRAPH_KIND.test(kind))
    return lostStatement('kind: expected letters, digits and underscores');
  const [from, to] = [endOf(edge['start'], sourceKind), endOf(edge['end'], sourceKind)];
  if (typeof from === 'string') return lostStatement(`start: ${from}`);
  if (typeof to === 'string') return lostStatement(`end: ${to}`);
  const values = openGraphValues(edge['properties']);
  if (typeof values === 'string') return lostStatement(values);
  const { properties, warning } = values;
  const { [OPEN_GRAPH_MARKS.verb]: verb, [OPEN_GRAPH_MARKS.key]: key, ...rest } = properties;
  const stated = {
    from,
    verb: typeof verb === 'string' ? verb : kind,
    to,
    key: typeof key === 'string' ? key : undefined,
    properties: rest,
  };
  return { objects: [], edges: [stated], warning };
}

/** The object at an end of an edge, or what is wrong with it. */
function endOf(end: unknown, sourceKind: string | undefined): Principal | string {
  if (!isJsonObject(end)) return `expected an object, got ${kindOf(end)}`;
  const { match_by: by = 'id', value, kind } = end;
  const wanted = typeof kind === 'string' && kind !== '' ? kind : undefined;
  if (by === 'property') return matchOf(end['property_matchers'], wanted);
  if (typeof value !== 'string' || value === '') return `value: expected a text, got ${kindOf(value)}`;
  if (by === 'id') return principalOf(value, wanted ?? sourceKind ?? UNKNOWN);
  if (by !== 'name') return `match_by: expected id, name or property, got ${String(by).slice(0, 40)}`;
  return matched({ kind: wanted, values: [['name', value]] });
}

function matchOf(matchers: unknown, kind: string | undefined): Principal | string {
  if (!Array.isArray(matchers) || matchers.length === 0)
    return 'property_matchers: expected a list of matchers';
  const values: [string, unknown][] = [];
  for (const each of matchers as unknown[]) {
    if (!isJsonObject(each) || each['operator'] !== 'equals' || typeof each['key'] !== 'string')
      return 'property_matchers: expected {key, operator: equals, value}';
    values.push([each['key'], each['value']]);
  }
  return matched({ kind, values });
}

function matched(match: Match): Principal {
  return { id: '', kind: match.kind ?? UNKNOWN, match };
}

interface OpenGraphValues {
  readonly properties: JsonObject;
  readonly warning: string | undefined;
}

/**
 * What OpenGraph does not allow is kept as JSON text; names that a property cannot have are left out. A value
 * that is no object is a fault, which is returned.
 */
function openGraphValues(value: unknown): OpenGraphValues | string {
  if (isAbsent(value)) return { properties: {}, warning: undefined };
  if (!isJsonObject(value)) return `properties: expected an object, got ${kindOf(value)}`;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  const [unread, foreign]: [string[], string[]] = [[], []];
  const properties: [string, unknown][] = [];
  for (const [name, each] of entries) {
    if (!isOpenGraphName(name)) unread.push(name);
    else if (isOpenGraphValue(each)) properties.push([name, each]);
    else {
      foreign.push(name);
      properties.push([name, exactText(each)]);
    }
  }
  const parts = [
    ...(foreign.length === 0
      ? []
      : [`expected scalars and lists of one kind of them; as JSON text: ${named(foreign)}`]),
    ...(unread.length === 0 ? [] : [`names that no property can have, left out: ${named(unread)}`]),
  ];
  return {
    properties: Object.fromEntries(properties),
    warning: parts.length === 0 ? undefined : parts.join('; '),
  };
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).map((name) => name.slice(0, NAME_SHOWN_MAX));
  return shown.join(', ') + (names.length > NAMES_SHOWN_MAX ? ', …' : '');
}

/** Whether a property of this name is read: not a field of the record itself. */
export function isOpenGraphName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= MODEL_LIMITS.propertyNameLengthMax &&
    name.isWellFormed() &&
    !isReservedName(name)
  );
}

export function isOpenGraphValue(value: unknown): boolean {
  if (Array.isArray(value)) return isPlainList(value);
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
}
