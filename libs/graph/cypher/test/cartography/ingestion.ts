/**
 * What one of Cartography's statements of ingestion must make of its rows, read from its text: a node for
 * each row, with the row's values, and a relationship to each node that its conditions name.
 */
import type { Value } from '../../src/index.ts';

export type Item = ReadonlyMap<string, Value>;

interface Condition {
  readonly key: string;
  readonly operator: '=' | 'IN';
  /** Of the row, or, with a `$`, a parameter. */
  readonly source: string;
}

export interface Link {
  readonly label: string;
  readonly type: string;
  readonly isOut: boolean;
  readonly conditions: readonly Condition[];
}

/** A node that was there before. */
export interface Seed {
  readonly label: string;
  readonly properties: Readonly<Record<string, string>>;
}

const HEAD = /MERGE \(i:(\w+)\{(\w+): item\.([\w.]+)\}\)/;
const ASSIGNMENT = /\bi\.(\w+) = item\.([\w.]+)(?=\s*(?:,|\n|$))/g;
const LINK =
  /OPTIONAL MATCH \((\w+):(\w+)(?:\{([^}]*)\})?\)\s*(?:WHERE\s+([^\n]*(?:\n AND[^\n]*)*))?\s*WITH i, item, \1 WHERE \1 IS NOT NULL\s*MERGE \(i\)(<?)-\[\w+:(\w+)\]->?\(\1\)/g;

export class Ingestion {
  readonly label: string;
  /** Property of the node, and path in the row. */
  readonly key: string;
  readonly keyPath: string;
  readonly assignments: readonly { readonly key: string; readonly path: string }[];
  readonly links: readonly Link[];
  readonly #text: string;

  /** Undefined for a text of another form. */
  static of(text: string): Ingestion | undefined {
    const head = HEAD.exec(text);
    return head === null ? undefined : new Ingestion(text, head);
  }

  private constructor(text: string, [, label = '', key = '', keyPath = '']: RegExpExecArray) {
    this.#text = text;
    this.label = label;
    this.key = key;
    this.keyPath = keyPath;
    this.assignments = [...text.matchAll(ASSIGNMENT)].map(([, name = '', path = '']) => ({
      key: name,
      path,
    }));
    this.links = [...text.matchAll(LINK)].flatMap((match) => linkOf(match) ?? []);
  }

  /** The names of its parameters. */
  get parameters(): readonly string[] {
    return [...new Set([...this.#text.matchAll(/\$(\w+)/g)].map(([, name = '']) => name))];
  }

  /** A row: what conditions read stays from day to day, the rest changes. */
  item(row: number, day: number): Item {
    const constant = this.links.flatMap(({ conditions }) => conditions);
    const item = new Map<string, Value>();
    for (const [, path = ''] of this.#text.matchAll(/item\.([\w.]+)/g)) {
      const condition = constant.find(({ source }) => source === path);
      const texts = textsOf(path, row);
      const constantValue = condition?.operator === 'IN' ? texts : (texts[0] ?? '');
      const changing = `${path}-${String(row)}-${String(day)}`;
      put(item, path.split('.'), condition === undefined ? changing : constantValue);
    }
    put(item, this.keyPath.split('.'), keyOf(row));
    return item;
  }

  seeds(rows: readonly number[]): readonly Seed[] {
    const seeds = this.links.flatMap(({ label, conditions }) =>
      rows.flatMap((row) =>
        [0, 1].map((which) => ({
          label,
          properties: Object.fromEntries(
            conditions.map(({ key, source }) => [
              key,
              source.startsWith('$') ? parameterOf(source.slice(1)) : this.#valueAt(source, row, which),
            ]),
          ),
        })),
      ),
    );
    return [...new Map(seeds.map((seed) => [JSON.stringify(seed), seed])).values()];
  }

  /** For each row: key, type, direction and the number of the other node. */
  expectedLinks(row: number, seeds: readonly Seed[]): readonly string[] {
    return this.links.flatMap(({ label, type, isOut, conditions }) =>
      seeds.flatMap((seed, number) => {
        const holds = conditions.every(({ key, operator, source }) => {
          const own = seed.properties[key];
          if (source.startsWith('$')) return own === parameterOf(source.slice(1));
          const wanted = [0, ...(operator === 'IN' ? [1] : [])].map((which) =>
            this.#valueAt(source, row, which),
          );
          return own !== undefined && wanted.includes(own);
        });
        return seed.label === label && holds ? [linkText(keyOf(row), { type, isOut, other: number })] : [];
      }),
    );
  }

  #valueAt(path: string, row: number, which: number): string {
    return path === this.keyPath ? keyOf(row) : (textsOf(path, row)[which] ?? '');
  }
}

function linkOf(match: RegExpExecArray): Link | undefined {
  const [, variable = '', label = '', map = '', where = '', left = '', type = ''] = match;
  const inMap = map === '' ? [] : map.split(',').map((part) => part.replace(':', ' =').trim());
  const inWhere = where === '' ? [] : where.split(/\s+AND\s+/).map((part) => part.trim());
  const conditions = [...inMap.map((part) => `${variable}.${part}`), ...inWhere].map((part) => {
    const found = /^\w+\.(\w+)\s*(=|IN)\s*(?:item\.([\w.]+)|(\$\w+))$/.exec(part);
    return (
      found && { key: found[1] ?? '', operator: found[2] as '=' | 'IN', source: found[3] ?? found[4] ?? '' }
    );
  });
  if (conditions.includes(null)) return undefined;
  return { label, type, isOut: left === '', conditions: conditions.filter((each) => each !== null) };
}

function put(item: Map<string, Value>, [name = '', ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) {
    if (!(item.get(name) instanceof Map)) item.set(name, value);
    return;
  }
  const known = item.get(name);
  const inner = known instanceof Map ? (known as Map<string, Value>) : new Map<string, Value>();
  item.set(name, inner);
  put(inner, rest, value);
}

export function keyOf(row: number): string {
  return `key-${String(row)}`;
}

export function parameterOf(name: string): string {
  return `parameter ${name}`;
}

export function linkText(
  key: string,
  { type, isOut, other }: { readonly type: string; readonly isOut: boolean; readonly other: number },
): string {
  return isOut ? `(${key})-[${type}]->(${String(other)})` : `(${key})<-[${type}]-(${String(other)})`;
}

/** The value at a path of an item. */
export function valueAt(item: Item, path: string): Value {
  return path
    .split('.')
    .reduce<Value>((at, name) => (at instanceof Map ? ((at.get(name) as Value) ?? null) : null), item);
}

function textsOf(path: string, row: number): readonly string[] {
  return [`${path}:${String(row)}:0`, `${path}:${String(row)}:1`];
}
