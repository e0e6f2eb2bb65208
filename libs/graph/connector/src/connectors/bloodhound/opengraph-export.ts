/**
 * Writes entities and relationships as nodes and edges of OpenGraph, so that reading them gives the same.
 * What OpenGraph cannot hold is counted by its reason.
 */
import { type Entity, type JsonObject, type Properties, type Relationship } from '#graph/model';
import { exactText } from '../document/flat-properties.ts';
import { typeOfKind } from './bloodhound-kinds.ts';
import {
  isOpenGraphName,
  isOpenGraphValue,
  OPEN_GRAPH_KIND,
  OPEN_GRAPH_MARKS as MARKS,
} from './opengraph-document.ts';

export type ExportedEntity = Pick<
  Entity,
  'id' | 'type' | 'class' | 'key' | 'display_name' | 'labels' | 'properties'
>;
export type ExportedRelationship = Pick<Relationship, 'verb' | 'key' | 'properties'> & {
  readonly from: { readonly id: string };
  readonly to: { readonly id: string };
};

const MARK_NAMES: ReadonlySet<string> = new Set(Object.values(MARKS));
const KINDS_MAX = 3;
const EXAMPLES_MAX = 3;

/** Give it all nodes, then all edges. */
export class OpenGraphExport {
  /** The id of each node, by that of its entity. */
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #losses = new Map<string, { count: number; readonly examples: string[] }>();

  /** The number of nodes. */
  get count(): number {
    return this.#ids.size;
  }

  /** The node of an entity: its id is the key, unless another node has it in some case of letters. */
  node(entity: ExportedEntity): JsonObject {
    const { class: kind, labels = [], key } = entity;
    const id = this.#taken.has(key.toUpperCase()) ? entity.id : key;
    this.#taken.add(id.toUpperCase());
    this.#ids.set(entity.id, id);
    const place = `${entity.type} ${key}`;
    const kinds = [kind, ...labels];
    if (kinds.length > KINDS_MAX)
      this.#lose(`older versions of BloodHound take ${KINDS_MAX} kinds at most`, place);
    const properties = this.#values(entity.properties, place);
    return {
      id,
      kinds,
      properties: isDerived(entity, id, properties) ? properties : marked(entity, properties),
    };
  }

  /** Undefined for an edge that leads to an entity which is no node. */
  edge({ from, verb, to, key, properties }: ExportedRelationship): JsonObject | undefined {
    const [start, end] = [this.#ids.get(from.id), this.#ids.get(to.id)];
    if (start === undefined || end === undefined) return undefined;
    const isKind = OPEN_GRAPH_KIND.test(verb);
    return {
      kind: isKind ? verb : verb.replace(/\W/gu, '_'),
      start: { value: start, match_by: 'id' },
      end: { value: end, match_by: 'id' },
      properties: {
        ...this.#values(properties, `${start} ${verb} ${end}`),
        ...(!isKind && { [MARKS.verb]: verb }),
        ...(key !== undefined && { [MARKS.key]: key }),
      },
    };
  }

  /** What is not as it was, and where first. */
  losses(): readonly string[] {
    return Array.from(this.#losses, ([what, { count, examples }]) => {
      const more = count > examples.length ? ', …' : '';
      return `${count} × ${what}: ${examples.join(', ')}${more}`;
    });
  }

  #values(properties: Properties, place: string): Record<string, unknown> {
    const values: [string, unknown][] = [];
    for (const [name, value] of Object.entries(properties)) {
      const where = `${place}, ${name}`;
      if (MARK_NAMES.has(name) || !isOpenGraphName(name))
        this.#lose('a property that is not read back under its name is left out', where);
      else if (value === null) this.#lose('a null, which OpenGraph does not have, is left out', where);
      else if (isOpenGraphValue(value)) values.push([name, value]);
      else {
        this.#lose('a value that is no scalar and no list of one kind of them is JSON text', where);
        values.push([name, exactText(value)]);
      }
    }
    return Object.fromEntries(values);
  }

  #lose(what: string, where: string): void {
    const loss = this.#losses.get(what) ?? { count: 0, examples: [] };
    this.#losses.set(what, loss);
    loss.count++;
    if (loss.examples.length < EXAMPLES_MAX) loss.examples.push(where);
  }
}

/** Whether the node alone says what the entity is, as those of collectors do. */
function isDerived(entity: ExportedEntity, id: string, { objectid, name }: JsonObject): boolean {
  const { type, class: kind, key, display_name: shown } = entity;
  const derivedName = typeof name === 'string' && name !== '' ? name : key;
  const isOwnId = id === key && objectid === key && key === key.toUpperCase();
  return isOwnId && typeOfKind(kind) === type && shown === derivedName;
}

function marked({ type, key, display_name: shown }: ExportedEntity, properties: JsonObject): JsonObject {
  return { ...properties, [MARKS.type]: type, [MARKS.key]: key, [MARKS.displayName]: shown };
}
