/** The benchmark's data with projected foreign keys: a file for each kind of node and link. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface NodeTable {
  readonly type: string;
  readonly keys: readonly string[];
}

export interface LinkTable {
  readonly from: string;
  readonly verb: string;
  readonly to: string;
  /** Keys of both ends. */
  readonly rows: readonly (readonly [from: string, to: string])[];
}

export interface LsqbData {
  readonly nodes: readonly NodeTable[];
  readonly links: readonly LinkTable[];
}

const NODE_FILE = /^([A-Za-z]+)\.csv(?:\.gz)?$/;
const LINK_FILE = /^([A-Za-z]+)_([A-Za-z]+)_([A-Za-z]+)\.csv(?:\.gz)?$/;
/** The kinds used by the queries. */
const TYPES: ReadonlySet<string> = new Set([
  ...['City', 'Comment', 'Country', 'Forum', 'Person', 'Post', 'Tag', 'TagClass'],
]);

export function readLsqb(folder: string): LsqbData {
  const nodes: NodeTable[] = [];
  const links: LinkTable[] = [];
  for (const file of readdirSync(folder)) {
    const [, type = ''] = NODE_FILE.exec(file) ?? [];
    const [, from = '', verb = '', to = ''] = LINK_FILE.exec(file) ?? [];
    if (TYPES.has(type)) nodes.push({ type, keys: rowsOf(folder, file).map(([key = '']) => key) });
    if (TYPES.has(from) && TYPES.has(to)) {
      const rows = rowsOf(folder, file).map(([a = '', b = '']) => [a, b] as const);
      links.push({ from, verb, to, rows });
    }
  }
  return { nodes, links };
}

/** The name of its table, which has the columns a and b. */
export function tableOf({ from, verb, to }: LinkTable): string {
  return `${from}_${verb}_${to}`;
}

function rowsOf(folder: string, file: string): readonly (readonly string[])[] {
  const bytes = readFileSync(join(folder, file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const [, ...lines] = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('|'));
}
