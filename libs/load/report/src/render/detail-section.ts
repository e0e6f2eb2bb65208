import type { OutcomeCounts, Report, ReportedFeed } from '../data/report.ts';
import { count, gibibytes, ms, percent, words } from './figure-text.ts';
import { badge, type TableColumn, html, type Markup, table } from './markup.ts';
import { readsSection, waysSection } from './ways-section.ts';

const OUTCOMES = ['planned', 'sent', 'not_sent', 'included', 'rejected', 'unknown'] as const;

const FEED = [
  { title: 'messages', name: 'messages' },
  { title: 'left out', name: 'gaps' },
  { title: 'duplicates', name: 'duplicates' },
  { title: 'reorganisations', name: 'reorganisations' },
  { title: 'disconnects', name: 'disconnects' },
  { title: 'unreadable', name: 'garbage' },
  { title: 'missed', name: 'correlation_misses' },
] as const satisfies readonly { readonly title: string; readonly name: keyof ReportedFeed }[];

const outcomeColumns = <R extends OutcomeCounts>(): TableColumn<R>[] =>
  OUTCOMES.map((name) => ({ title: words(name), isNumber: true, of: (row) => count(row[name]) }));

/** Totals and kinds, failures, edges, the feed, findings, and the environment. */
export function detailSection(report: Report): Markup {
  const { summary, kinds, errors, edges, findings, setup } = report;
  return html`<h2>Transactions</h2>
    ${table(
      [
        { title: 'kind', of: ({ kind }) => words(kind) },
        ...outcomeColumns<OutcomeCounts & { kind: string }>(),
      ],
      [...kinds, ...rowless(report), { ...summary, kind: 'all' }],
    )}
    <p class="soft small">
      planned = sent + not sent, sent = included + rejected + unknown:
      ${summary.is_balanced ? 'both add up' : html`<b class="bad">they do not add up</b>`}.
      ${notSentText(report)} ${failedText(report)}
    </p>
    ${waysSection(report)} ${readsSection(report)} ${errors.length === 0 ? null : html`<h2>Failures</h2>`}
    ${table(
      [
        { title: 'class', of: (error) => words(error.class) },
        {
          title: '',
          of: ({ expected }) => (expected ? badge('good', 'expected') : badge('bad', 'unexpected')),
        },
        { title: 'count', isNumber: true, of: (error) => count(error.count) },
        { title: 'the target says', of: ({ message }) => html`<code>${message}</code>` },
      ],
      errors,
    )}
    <h2>Edges</h2>
    ${table(
      [
        { title: 'edge', of: ({ edge_id }) => html`<b>${edge_id}</b>` },
        { title: 'end', of: ({ end }) => badge(end === 'done' ? 'good' : 'bad', end ?? 'unknown') },
        ...outcomeColumns<Report['edges'][number]>(),
        { title: 'accounts', isNumber: true, of: ({ account_count }) => count(account_count) },
        { title: 'CPU', isNumber: true, of: ({ cpu_share }) => percent(cpu_share) },
        { title: 'loop p99', isNumber: true, of: ({ loop_delay_p99_ms }) => ms(loop_delay_p99_ms) },
        { title: 'dropped', isNumber: true, of: ({ events_dropped }) => count(events_dropped) },
        {
          title: 'clock',
          isNumber: true,
          of: ({ clock_offset_ms, clock_error_ms }) => clock(clock_offset_ms, clock_error_ms),
        },
      ],
      edges,
    )}
    ${feedSection(report)} ${findings.length === 0 ? null : html`<h2>Findings</h2>`}
    ${table(
      [
        { title: 'what', of: ({ code }) => words(code) },
        { title: 'edge', of: ({ edge_id }) => edge_id ?? '' },
        { title: '', of: ({ message }) => message },
      ],
      findings,
    )}
    ${ratesSection(report)} ${setup.length === 0 ? null : html`<h2>Contracts and setup</h2>`}
    ${table(
      [
        { title: 'what', of: ({ what }) => html`<code>${what}</code>` },
        { title: 'address', of: ({ address }) => html`<code>${address}</code>` },
        { title: 'transaction', of: ({ hash }) => (hash === null ? '–' : html`<code>${hash}</code>`) },
        { title: 'gas', isNumber: true, of: (one) => (one.gas_used === null ? '–' : count(one.gas_used)) },
        { title: 'result', of: ({ result }) => (result === null ? '' : JSON.stringify(result)) },
      ],
      setup,
    )}
    ${setting(report)}`;
}

function ratesSection({ rate_changes: rates }: Report): Markup {
  return html`${rates.length === 0 ? null : html`<h2>Changes of the rate</h2>`}
  ${table(
    [
      { title: 'from', of: ({ at }) => at },
      { title: 'transactions a second', isNumber: true, of: ({ rate }) => String(rate) },
      {
        title: 'applied by',
        of: ({ edges: by }) => by.map((one) => `${one.edge_id} at ${one.at}`).join(', '),
      },
    ],
    rates,
  )}`;
}

function notSentText({ summary }: Report): string {
  const reasons = summary.not_sent_reasons.map(({ reason, count: of }) => `${words(reason)} ${count(of)}`);
  return reasons.length === 0 ? '' : `Not sent: ${reasons.join(', ')}.`;
}

/** Counts that are not among the five outcomes. */
function failedText({ summary }: Report): string {
  const { reverted, acked_lost: lost, expect_unmet: unmet } = summary;
  const parts = [
    reverted === 0 ? '' : `${count(reverted)} of the included reverted`,
    lost === 0 ? '' : `${count(lost)} of the unknown had been acknowledged`,
    unmet === 0 ? '' : `${count(unmet)} were accepted but expected to fail`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : `${parts.join(', ')}.`;
}

function feedSection({ edges, feed }: Report): Markup {
  return html`<h2>Feed</h2>
    ${table(
      [
        { title: 'edge', of: ({ edge_id }) => html`<b>${edge_id}</b>` },
        ...FEED.map(({ title, name }) => ({
          title,
          isNumber: true,
          of: (row: ReportedFeed) => count(row[name]),
        })),
      ],
      [
        ...edges.map((edge) => ({ ...edge.feed, edge_id: edge.edge_id })),
        ...(edges.length === 1 ? [] : [{ ...feed, edge_id: 'all' }]),
      ],
    )}
    <p class="soft small">
      Each edge reads the whole feed, so that one message counts once for each. Left out: numbers that never
      came. Unreadable: frames that are no valid messages. Missed: transactions of its own that it did not see
      in time.
    </p>`;
}

/** Counted transactions without a row in the files: dropped events, or those of a lost edge. */
function rowless({ summary, kinds }: Report): (OutcomeCounts & { kind: string })[] {
  const rest = Object.fromEntries(
    OUTCOMES.map((name) => [name, summary[name] - kinds.reduce((sum, kind) => sum + kind[name], 0)] as const),
  ) as Record<(typeof OUTCOMES)[number], number>;
  return OUTCOMES.every((name) => rest[name] === 0) ? [] : [{ ...rest, kind: 'counted, without a row' }];
}

function setting({ environment, scenario }: Report): Markup {
  const facts = Object.entries(environment).map(([name, value]) => {
    if (name === 'memory_bytes') return `memory ${gibibytes(Number(value))}`;
    return `${words(name)} ${String(value)}`;
  });
  return html`<h2>Where and what</h2>
    <p>${facts.join(' · ')}</p>
    <details>
      <summary>scenario</summary>
      <pre>${JSON.stringify(scenario, null, 2)}</pre>
    </details>`;
}

function clock(offset: number | null, error: number | null): string {
  return offset === null ? '–' : `${ms(offset)} ± ${ms(error)}`;
}
