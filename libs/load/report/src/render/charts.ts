import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { assert } from '#platform/foundation';
import type { LatencyFigures, Report, ThroughputPoint } from '../data/report.ts';
import { Markup } from './markup.ts';

const WIDTH = 520;
const HEIGHT = 220;
const MS_PER_SECOND = 1_000;
/** Points beyond the number of pixels are merged, to their worst or mean value. */
const POINTS_MAX = 400;

const LAYOUT = {
  width: WIDTH,
  height: HEIGHT,
  marginLeft: 52,
  marginBottom: 34,
  style: { background: 'transparent', color: 'var(--soft)', fontFamily: 'inherit', fontSize: '12px' },
};

interface Point {
  readonly second: number;
  readonly planned: number;
  readonly sent: number;
  readonly included: number;
  readonly rejected: number;
  readonly p99: number | null;
}

/** Planned, sent and included transactions per second, with marks where the rate was changed. */
export function throughputChart({ throughput, rate_changes: changes }: Report): Markup {
  const points = pointsOf(throughput);
  const loaded = whileLoaded(points);
  const startMs = startOf(throughput);
  const changed = changes.map(({ at, rate }) => ({
    second: (Date.parse(at) - startMs) / MS_PER_SECOND,
    name: `${Number(rate.toPrecision(3))} tx/s`,
  }));
  const line = (y: keyof Point, stroke: string, of = points) =>
    Plot.lineY(of, { x: 'second', y, stroke, strokeWidth: 1.8 });
  return svgOf({
    ...LAYOUT,
    x: { label: 'seconds', grid: false },
    y: { label: 'transactions a second', grid: true, zero: true, nice: true, tickFormat: 's' },
    marks: [
      Plot.areaY(loaded, { x: 'second', y: 'planned', fill: 'var(--line)', fillOpacity: 0.6 }),
      line('sent', 'var(--accent)', loaded),
      line('included', 'var(--good)'),
      Plot.ruleX(changed, { x: 'second', stroke: 'var(--ink)', strokeDasharray: '3 3' }),
      Plot.text(changed, { x: 'second', text: 'name', frameAnchor: 'top', dy: -8, fill: 'var(--ink)' }),
      ...(points.some(({ rejected }) => rejected > 0) ? [line('rejected', 'var(--bad)')] : []),
    ],
  });
}

/** The p99 latency from the intended time, by second of the intended time. */
export function latencyOverTimeChart({ throughput }: Report): Markup {
  const points = pointsOf(throughput).filter(({ p99 }) => p99 !== null);
  return svgOf({
    ...LAYOUT,
    x: { label: 'seconds' },
    y: { label: 'ms', grid: true, zero: true, nice: true },
    marks: [
      Plot.areaY(points, { x: 'second', y: 'p99', fill: 'var(--accent)', fillOpacity: 0.15 }),
      Plot.lineY(points, { x: 'second', y: 'p99', stroke: 'var(--accent)', strokeWidth: 1.8 }),
    ],
  });
}

/** The latency histogram on a logarithmic scale, with marked percentiles. */
export function latencyHistogram({ histogram, p50, p99, max }: LatencyFigures): Markup {
  const step = 10 ** (1 / 8);
  // The bar above all bounds extends to the maximum.
  const bars = histogram.map(({ le, count }) => {
    const to = Math.min(le, Math.max(max, 1) * step);
    return { from: to / step, to, count };
  });
  const marks = [
    { at: p50, name: 'p50' },
    { at: p99, name: 'p99' },
  ];
  return svgOf({
    ...LAYOUT,
    marginTop: 26,
    x: { type: 'log', label: 'ms', tickFormat: (ms: number) => String(Number(ms.toPrecision(2))), ticks: 6 },
    y: { label: 'transactions', grid: true, tickFormat: 's', nice: true },
    marks: [
      Plot.rectY(bars, {
        x1: 'from',
        x2: 'to',
        y: 'count',
        fill: 'var(--accent)',
        fillOpacity: 0.55,
        inset: 0.5,
      }),
      Plot.ruleX(marks, { x: 'at', stroke: 'var(--ink)', strokeDasharray: '3 3' }),
      Plot.text(marks, { x: 'at', text: 'name', frameAnchor: 'top', dy: -12, fill: 'var(--ink)' }),
    ],
  });
}

/** The points without the settling time after the load, in which nothing is planned. */
function whileLoaded(points: readonly Point[]): readonly Point[] {
  return points.slice(0, points.findLastIndex(({ planned }) => planned > 0) + 1);
}

function startOf(throughput: readonly ThroughputPoint[]): number {
  return Date.parse(throughput[0]?.at ?? '');
}

function pointsOf(throughput: readonly ThroughputPoint[]): readonly Point[] {
  const start = startOf(throughput);
  const size = Math.max(1, Math.ceil(throughput.length / POINTS_MAX));
  return Array.from({ length: Math.ceil(throughput.length / size) }, (_, at) => {
    const group = throughput.slice(at * size, (at + 1) * size);
    const seconds = group.reduce((sum, point) => sum + point.seconds, 0);
    const mean = (name: 'planned' | 'sent' | 'included' | 'rejected') =>
      group.reduce((sum, point) => sum + point[name], 0) / seconds;
    const late = group.flatMap(({ intended_feed_p99 }) => intended_feed_p99 ?? []);
    return {
      second: (Date.parse(group[0]?.at ?? '') - start) / MS_PER_SECOND,
      planned: mean('planned'),
      sent: mean('sent'),
      included: mean('included'),
      rejected: mean('rejected'),
      p99: late.length === 0 ? null : Math.max(...late),
    };
  });
}

/** Both libraries' types need the DOM types, which this project lacks; this checks the used parts. */
function svgOf(options: Plot.PlotOptions): Markup {
  const window: unknown = parseHTML('<!doctype html><html></html>');
  assert(typeof window === 'object' && window !== null, 'a parsed page is a window');
  const figure: unknown = Plot.plot(
    Object.assign({ document: Reflect.get(window, 'document') as unknown }, options),
  );
  assert(hasMarkup(figure), 'a plot has markup');
  return new Markup(figure.outerHTML);
}

function hasMarkup(figure: unknown): figure is { readonly outerHTML: string } {
  return typeof figure === 'object' && figure !== null && 'outerHTML' in figure;
}
