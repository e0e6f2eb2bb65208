import type { Report, ReportRead, ReportWay, WaySpan } from '../data/report.ts';
import { count, ms, rate, words } from './figure-text.ts';
import { html, type Markup, table } from './markup.ts';

/** The types and ways to send side by side; null for a run with the usual one alone. */
export function waysSection({ ways }: Report): Markup | null {
  if (ways.every(({ way, type }) => way === 'raw' && type === 2)) return null;
  const hasLane = ways.some(({ way }) => way === 'express_lane');
  return html`<h2>Types and ways to send</h2>
    ${table(
      [
        { title: 'way', of: ({ way }) => words(way) },
        { title: 'type', isNumber: true, of: ({ type }) => String(type) },
        ...(['sent', 'included', 'rejected', 'unknown'] as const).map((name) => ({
          title: name,
          isNumber: true,
          of: (way: ReportWay) => count(way[name]),
        })),
        ...spanColumns('sent → answer', ({ send_ack }) => send_ack),
        ...spanColumns('sent → feed', ({ send_feed }) => send_feed),
        { title: 'place in block', isNumber: true, of: ({ place_p50 }) => placeText(place_p50) },
        ...(hasLane ? [{ title: 'timeboosted', isNumber: true, of: boostedText }] : []),
      ],
      ways,
    )}
    <p class="soft small">
      Place in block: median, from 0 (first) to 1 (last), of blocks with several transactions.
      ${hasLane ? 'Timeboosted: by the metadata of the feed; the answer of the express lane only means that it takes the transaction.' : null}
    </p>`;
}

/** The reads beside the load; null without any. */
export function readsSection({ reads }: Report): Markup | null {
  if (reads.length === 0) return null;
  return html`<h2>Reads</h2>
    ${table(
      [
        { title: 'read', of: ({ name }) => html`<b>${name}</b>` },
        { title: 'method', of: ({ method }) => html`<code>${method}</code>` },
        ...(['planned', 'answered', 'failed', 'not_sent'] as const).map((name) => ({
          title: words(name),
          isNumber: true,
          of: (read: ReportRead) => count(read[name]),
        })),
        { title: 'per second', isNumber: true, of: (read) => rate(read.rate) },
        ...(['p50_ms', 'p95_ms', 'p99_ms', 'max_ms'] as const).map((name) => ({
          title: name.replace('_ms', ''),
          isNumber: true,
          of: (read: ReportRead) => ms(read[name]),
        })),
        {
          title: 'failures',
          of: ({ errors }) => errors.map((one) => `${words(one.class)} ${count(one.count)}`).join(', '),
        },
      ],
      reads,
    )}
    <p class="soft small">Latency counts from the time at which a read was due. No check judges reads.</p>`;
}

function spanColumns(
  title: string,
  spanOf: (way: ReportWay) => WaySpan | null,
): readonly { readonly title: string; readonly isNumber: true; readonly of: (way: ReportWay) => string }[] {
  return (['p50', 'p99'] as const).map((quantile) => ({
    title: `${title} ${quantile}`,
    isNumber: true,
    of: (way) => ms(spanOf(way)?.[quantile]),
  }));
}

function placeText(place: number | null): string {
  return place === null ? '–' : place.toFixed(2);
}

function boostedText({ included, timeboosted, not_timeboosted: not }: ReportWay): string {
  const unstated = included - timeboosted - not;
  return `${count(timeboosted)} of ${count(included)}${unstated > 0 ? `, ${count(unstated)} not stated` : ''}`;
}
