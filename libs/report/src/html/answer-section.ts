import { CHECKS } from '#oracle';
import type { Report } from '../report.ts';
import { count, duration, ms, percent, rate, words } from './figure-text.ts';
import { html, type Markup } from './markup.ts';

interface Answer {
  readonly tone: 'good' | 'bad' | 'unsure';
  readonly sentence: string;
  readonly reasons: readonly string[];
}

/** The first screen: did it hold, how fast, what broke. */
export function answerSection(report: Report): Markup {
  const { tone, sentence, reasons } = answerOf(report);
  const { summary, latency, duration_ms } = report;
  const reach = summary.achieved_rate_ratio;
  return html`<section class="answer ${tone}">
      <strong>${sentence}</strong>
      ${
        reasons.length === 0
          ? null
          : html`<ul>
              ${reasons.map((reason) => html`<li>${reason}</li>`)}
            </ul>`
      }
    </section>
    <section class="tiles">
      ${tile(`${rate(summary.achieved_rate)}/s`, `sent, ${percent(reach)} of the plan`)}
      ${tile(ms(latency.intended_feed?.p50), 'median, intended → feed')}
      ${tile(ms(latency.intended_feed?.p99), 'p99, intended → feed')}
      ${tile(count(summary.included), `included of ${count(summary.sent)} sent`)}
      ${tile(percent(summary.tx_failed_ratio), 'failed, not expected to')}
      ${tile(duration(duration_ms), `${report.edges.length} ${report.edges.length === 1 ? 'edge' : 'edges'}`)}
    </section>`;
}

function tile(figure: string, meaning: string): Markup {
  return html`<div class="tile"><b>${figure}</b><span>${meaning}</span></div>`;
}

function answerOf(report: Report): Answer {
  const broken = brokenPromises(report);
  const open = openQuestions(report);
  if (broken.length > 0) return { tone: 'bad', sentence: 'It did not hold', reasons: [...broken, ...open] };
  if (open.length > 0)
    return { tone: 'unsure', sentence: 'Nothing broke, but not all was seen', reasons: open };
  return { tone: 'good', sentence: 'It held: every promise checked, every threshold met', reasons: [] };
}

function brokenPromises({ status, reason, oracle, thresholds, summary }: Report): string[] {
  return [
    ...(status === 'Failed' ? [`the run failed: ${words(reason ?? 'no reason was given')}`] : []),
    ...CHECKS.flatMap((check) => {
      const found = oracle[check];
      if (found?.verdict !== 'fail') return [];
      const [first] = found.violations;
      const named = first === undefined ? '' : `, the first by ${first.hash ?? first.account}`;
      return [`${check}: ${count(found.violation_count)} violations${named}`];
    }),
    ...thresholds
      .filter(({ is_met }) => !is_met)
      .map(({ metric, min, max, value }) => {
        const bound = [min === null ? '' : `at least ${min}`, max === null ? '' : `at most ${max}`];
        return `${words(metric)}: ${value ?? 'nothing measured'}, wanted ${bound.filter(Boolean).join(' and ')}`;
      }),
    ...(summary.is_balanced ? [] : ['the counts do not add up: see the totals']),
  ];
}

function openQuestions({ oracle, generator, edges }: Report): string[] {
  return [
    ...CHECKS.flatMap((check) => {
      const found = oracle[check];
      if (found?.verdict !== 'inconclusive') return [];
      const why = found.gaps.map(({ reason, count: of }) => `${words(reason)} (${count(of)})`).join(', ');
      return [`${check}: ${count(found.coverage.checked)} of ${count(found.coverage.total)} checked; ${why}`];
    }),
    ...(generator.is_limited
      ? ['the load generator itself was the limit: figures are of it, not of the target']
      : []),
    ...edges.flatMap(({ edge_id, end }) =>
      end === 'done' ? [] : [`${edge_id} ended as ${end ?? 'unknown'}`],
    ),
  ];
}
