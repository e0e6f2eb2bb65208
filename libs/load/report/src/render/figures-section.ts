import type { LatencyName, Report } from '../data/report.ts';
import { latencyHistogram, latencyOverTimeChart, throughputChart } from './charts.ts';
import { count, ms, rate, words } from './figure-text.ts';
import { badge, html, type Markup, table } from './markup.ts';

export const SPANS: Readonly<Record<LatencyName, string>> = {
  intended_feed: 'intended → feed',
  send_feed: 'sent → feed',
  intended_block: 'intended → block',
  send_block: 'sent → block',
  send_ack: 'sent → answer',
  send_delay: 'intended → sent',
};
const NAMES: readonly LatencyName[] = [
  ...(['intended_feed', 'send_feed', 'intended_block', 'send_block'] as const),
  ...(['send_ack', 'send_delay'] as const),
];

/** Rates and latencies as charts and tables. */
export function figuresSection(report: Report): Markup {
  const { throughput, latency, stages } = report;
  const excluded = stages.filter(({ is_excluded }) => is_excluded).map(({ name }) => name);
  return html`<h2>Load and latency</h2>
    <div class="pair">
      ${
        throughput.length === 0
          ? null
          : html`<figure class="card">
                <figcaption>
                  grey: planned, <span style="color: var(--accent)">sent</span>,
                  <span class="good">included</span>, <span class="bad">rejected</span>
                </figcaption>
                ${throughputChart(report)}
              </figure>
              <figure class="card">
                <figcaption>p99 of each second, ${SPANS[inclusionOf(report)]}</figcaption>
                ${latencyOverTimeChart(report)}
              </figure>`
      }
      ${histogram(report, inclusionOf(report))} ${histogram(report, 'send_ack')}
    </div>
    ${table(
      [
        { title: 'latency', of: (name) => SPANS[name] },
        ...(['p50', 'p90', 'p95', 'p99', 'p999', 'max', 'mean'] as const).map((figure) => ({
          title: figure.replace('p999', 'p99.9'),
          isNumber: true,
          of: (name: LatencyName) => ms(latency[name]?.[figure]),
        })),
        { title: 'measured', isNumber: true, of: (name) => count(latency[name]?.count ?? 0) },
      ],
      NAMES,
    )}
    <p class="soft small">
      Latency counts from the time at which a transaction was intended, so that a target that stalls cannot
      hide what waited.
      ${excluded.length === 0 ? null : `Excluded from rates and latencies: ${excluded.join(', ')}.`}
    </p>`;
}

/** The end-to-end latency: up to the feed message, or to the block if the feed is not read. */
export function inclusionOf({ latency }: Report): 'intended_feed' | 'intended_block' {
  return latency.intended_feed === null && latency.intended_block !== null
    ? 'intended_block'
    : 'intended_feed';
}

export function thresholdsSection({ thresholds }: Report): Markup | null {
  const rows = table(
    [
      {
        title: 'threshold',
        of: ({ metric, is_default }) =>
          is_default ? html`${words(metric)} <span class="soft small">by default</span>` : words(metric),
      },
      { title: '', of: ({ is_met }) => standOf(is_met) },
      { title: 'measured', isNumber: true, of: ({ value }) => rate(value) },
      { title: 'at least', isNumber: true, of: ({ min }) => (min === null ? '' : String(min)) },
      { title: 'at most', isNumber: true, of: ({ max }) => (max === null ? '' : String(max)) },
    ],
    thresholds,
  );
  return rows === null
    ? null
    : html`<h2>Thresholds</h2>
        ${rows}`;
}

function standOf(isMet: boolean | null): Markup {
  if (isMet === null) return badge('unsure', 'not measured');
  return isMet ? badge('good', 'met') : badge('bad', 'missed');
}

function histogram({ latency }: Report, name: LatencyName): Markup | null {
  const figures = latency[name];
  if (figures === null) return null;
  return html`<figure class="card">
    <figcaption>how long ${SPANS[name]} took</figcaption>
    ${latencyHistogram(figures)}
  </figure>`;
}
