import { ms, percent, rate, words } from '../render/figure-text.ts';
import { badge, html, type Markup, table } from '../render/markup.ts';
import { page } from '../render/page.ts';
import type { MaximumFound, SearchStep, StepEnd } from './search-step.ts';

const TONES: Readonly<Record<StepEnd, 'good' | 'bad' | 'unsure'>> = {
  held: 'good',
  missed: 'bad',
  violated: 'bad',
  failed: 'bad',
  generator: 'unsure',
  unknown: 'unsure',
};

const LIMITS: Readonly<Record<MaximumFound['limited_by'], string>> = {
  missed: 'above it an objective is missed',
  violated: 'above it the target breaks a guarantee',
  generator:
    'above it this load generator was the limit, not the target: the maximum of the target may be higher',
  unknown: 'above it not everything could be checked: the maximum of the target may be higher',
  failed: 'the next run failed',
  search_limit: 'the highest rate of the search: the maximum of the target may be higher',
  interrupted: 'the search was interrupted: the maximum of the target may be higher',
};

/** The result in one sentence. */
export function searchHeadline({ maximum, refused, limited_by: limit, objectives }: MaximumFound): string {
  if (maximum === null) return `No rate was found at which ${objectives} is met`;
  const isLeast = !['missed', 'violated'].includes(limit);
  const next = refused === null ? '' : `; ${rate(refused)}/s did not hold`;
  return `${isLeast ? 'At least' : 'Maximum'} ${rate(maximum)}/s with ${objectives}${next}: ${LIMITS[limit]}`;
}

/** The search as a page, with a link to the report of each step. `base`: the URL of the hive. */
export function renderSearch(found: MaximumFound, base: string): string {
  const { name, steps, maximum, limited_by: limit } = found;
  const tone = maximum === null ? 'bad' : ['missed', 'violated'].includes(limit) ? 'good' : 'unsure';
  const metrics = [...new Set(steps.flatMap(({ objectives }) => objectives.map(({ metric }) => metric)))];
  return page(
    `maximum of ${name}`,
    html`<header><h1>${name}: the maximum</h1></header>
      <section class="answer ${tone}"><strong>${searchHeadline(found)}</strong></section>
      <h2>Steps</h2>
      ${table(
        [
          { title: 'planned', isNumber: true, of: (step) => `${rate(step.rate)}/s` },
          { title: 'sent', isNumber: true, of: (step) => `${rate(step.achieved_rate)}/s` },
          ...metrics.map((metric) => ({
            title: words(metric),
            isNumber: true,
            of: (step: SearchStep) => valueOf(step, metric),
          })),
          { title: '', of: (step) => badge(TONES[step.end], words(step.end)) },
          { title: 'why', of: ({ why }) => why },
          { title: 'evidence', of: (step) => linkOf(step, base) },
        ],
        steps,
      )}`,
  );
}

function valueOf({ objectives }: SearchStep, metric: string): string {
  const value = objectives.find((one) => one.metric === metric)?.value ?? null;
  if (metric.endsWith('_ms')) return ms(value);
  return metric.endsWith('_ratio') ? percent(value) : rate(value);
}

function linkOf({ run_id: runId }: SearchStep, base: string): Markup {
  return html`<a href="${base}/runs/${runId}/report?format=html"><code>${runId}</code></a>`;
}
