/** The state of a cluster, as lines for a terminal. */
import { styleText } from 'node:util';
import { grouped } from './cluster-counts.ts';
import type { DatabaseSight, NodeSight } from './cluster-watch.ts';

export interface Sight {
  readonly elapsedS: number;
  readonly nodes: readonly NodeSight[];
  readonly databases: readonly DatabaseSight[];
  /** Acknowledged per second, the newest last. */
  readonly rates: readonly number[];
  /** Current counts, by name. */
  readonly counts: Readonly<Record<string, number>>;
  readonly events: readonly string[];
}

export interface Paper {
  readonly isColoured: boolean;
  readonly rows: number;
}

const BARS = '▁▂▃▄▅▆▇█';
const BARS_MAX = 60;
const NONE = '–';
const STYLES: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  healthy: 'green',
  'takes writes': 'green',
  degraded: 'yellow',
  unhealthy: 'red',
  starting: 'yellow',
  'no answer': 'yellow',
  killed: 'red',
};
/** Widths of columns; negative ones, for figures, are right-aligned. */
const NODE_WIDTHS = [5, 8, -8, -9, -6, -8, -7, 9, 0];
const DATABASE_WIDTHS = [8, 8, 14, 0];

/** A frame of at most `rows` rows; the oldest events are omitted. */
export function frameOf(sight: Sight, { isColoured, rows }: Paper): readonly string[] {
  const paint = (style: 'bold' | 'dim' | 'green' | 'yellow' | 'red', text: string): string =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const tableOf = ([head = [], ...body]: readonly (readonly string[])[], widths: readonly number[]) => {
    const padded = (cell: string, at: number): string => {
      const width = widths[at] ?? 0;
      return width < 0 ? cell.padStart(-width) : cell.padEnd(width);
    };
    const row = (cells: readonly string[]): string =>
      cells
        .map((cell, at) =>
          STYLES[cell] === undefined ? padded(cell, at) : paint(STYLES[cell], padded(cell, at)),
        )
        .join('  ')
        .trimEnd();
    return [paint('dim', row(head)), ...body.map(row)];
  };
  const highest = Math.max(...sight.rates, 1);
  const counts = Object.entries(sight.counts).map(([name, count]) => `${grouped(count)} ${name}`);
  const lines = [
    paint('bold', `Plexus: three nodes over three databases, ${sight.elapsedS.toFixed(0)} s of load`),
    '',
    ...tableOf(nodeRows(sight.nodes), NODE_WIDTHS),
    '',
    ...tableOf(databaseRows(sight.databases), DATABASE_WIDTHS),
    '',
    `${paint('dim', 'WRITES/S')}  ${barsOf(sight.rates, highest)}  █ ${grouped(Math.round(highest))}`,
    counts.join(' · '),
    '',
  ];
  const room = Math.max(0, rows - lines.length);
  return [...lines, ...(room === 0 ? [] : sight.events.slice(-room))].slice(0, rows);
}

function nodeRows(nodes: readonly NodeSight[]): readonly (readonly string[])[] {
  const head = ['NODE', 'ROLE', 'SEQ', 'PUBLISHED', 'LAG', 'WRITES/S', 'READS/S', 'STATE', 'ADDRESS'];
  const rows = nodes.map(({ name, url, state, position, writesPerSecond, readsPerSecond }) => {
    const rates = [writesPerSecond, readsPerSecond].map((rate) => grouped(Math.round(rate)));
    if (position === undefined) return [name, NONE, NONE, NONE, NONE, NONE, NONE, state, NONE];
    const { role, seq, published, lag_ms: lagMs } = position;
    return [name, role, grouped(seq), grouped(published), `${grouped(lagMs)} ms`, ...rates, state, url];
  });
  return [head, ...rows];
}

function databaseRows(databases: readonly DatabaseSight[]): readonly (readonly string[])[] {
  const rows = databases.map(({ name, role, state, port }) => [name, role, state, `127.0.0.1:${port}`]);
  return [['DATABASE', 'ROLE', 'STATE', 'ADDRESS'], ...rows];
}

/** The newest at the right. */
function barsOf(rates: readonly number[], highest: number): string {
  const bars = rates.slice(-BARS_MAX).map((rate) => BARS[Math.ceil((rate / highest) * (BARS.length - 1))]);
  return bars.join('').padStart(BARS_MAX);
}
