/** Graphs in the form that every engine loads: nodes by label, relationships by type and ends. */
import { type LsqbData, readLsqb } from '../../tools/suites/lsqb/tables.ts';
import type { Dataset } from '../data/dataset.ts';
import { ENTITY_TYPES, LINK_KINDS } from '../data/vocabulary.ts';

/** `name` is unique within its label. */
export type NodeRow = Readonly<{ name: string } & Record<string, string | number>>;

export interface NodeTable {
  readonly label: string;
  /** Columns beside the name, all with a value in each row. */
  readonly columns: readonly { readonly name: string; readonly type: 'STRING' | 'DOUBLE' }[];
  readonly rows: readonly NodeRow[];
}

export interface LinkTable {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  /** Names of both ends. */
  readonly rows: readonly (readonly [from: string, to: string])[];
}

export interface GraphTables {
  readonly nodes: readonly NodeTable[];
  readonly links: readonly LinkTable[];
}

const COLUMNS = [
  { name: 'state', type: 'STRING' },
  { name: 'region', type: 'STRING' },
  { name: 'serial', type: 'STRING' },
  { name: 'cpu', type: 'DOUBLE' },
] as const;

export function tablesOfDataset(data: Dataset): GraphTables {
  const rows: NodeRow[][] = ENTITY_TYPES.map(() => []);
  for (let index = 0; index < data.entityCount; index++)
    rows[index % ENTITY_TYPES.length]?.push(rowOf(data, index));
  const links: (readonly [string, string])[][] = LINK_KINDS.map(() => []);
  const { from, to, kind, count } = data.links;
  for (let link = 0; link < count; link++) {
    links[kind[link] ?? 0]?.push([nameOf(data, from[link] ?? 0), nameOf(data, to[link] ?? 0)]);
  }
  const labelOf = (number: number): string => ENTITY_TYPES[number]?.type ?? '';
  return {
    nodes: rows.map((own, number) => ({ label: labelOf(number), columns: COLUMNS, rows: own })),
    links: links.map((own, number) => {
      const { verb = '', from: start = 0, to: end = 0 } = LINK_KINDS[number] ?? {};
      return { type: verb, from: labelOf(start), to: labelOf(end), rows: own };
    }),
  };
}

/** Ladybug takes a number without a fraction for another type. */
const NEVER_WHOLE = 0.25;

export function rowOf(data: Dataset, index: number): NodeRow {
  const { name, state, region, serial, cpu } = data.entity(index).properties;
  return { name, state, region, serial, cpu: cpu + NEVER_WHOLE };
}

export function nameOf(data: Dataset, index: number): string {
  return data.entity(index).properties.name;
}

export function tablesOfLsqb(folder: string): GraphTables {
  const { nodes, links }: LsqbData = readLsqb(folder);
  return {
    nodes: nodes.map(({ type, keys }) => ({
      label: type,
      columns: [],
      rows: keys.map((name) => ({ name })),
    })),
    links: links.map(({ from, verb, to, rows }) => ({ type: verb, from, to, rows })),
  };
}
