import { countedText, countText } from '../../kit/parts/format-value.ts';
import type { RunDto } from '../api/generated/types.gen.ts';

/** Summed over all edges: each reads the whole feed. */
const FEED: Readonly<Record<string, string>> = {
  feed_gaps: 'sequence numbers missing',
  feed_duplicates: 'duplicates',
  feed_reorganisations: 'reorganisations',
  feed_disconnects: 'disconnects',
  feed_garbage: 'unreadable frames',
  correlation_misses: 'transactions missed',
};

interface EdgeName {
  readonly edge_id: string;
}

export function wordsOf(name: string): string {
  return name.replaceAll('_', ' ');
}

export function isOver({ status }: Pick<RunDto, 'status'>): boolean {
  return status === 'Completed' || status === 'Failed';
}

/** The verdict in a word; null before the end. */
export function verdictWord({ verdict }: Pick<RunDto, 'verdict'>): string | null {
  return verdict === null ? null : VERDICTS[verdict.state];
}

const VERDICTS = {
  held: 'Passed',
  reservations: 'Passed with reservations',
  failed: 'Failed',
  unknown: 'Inconclusive',
} as const;

/** `edge-2` before `edge-10`. */
export function byName(a: EdgeName, b: EdgeName): number {
  return a.edge_id.localeCompare(b.edge_id, 'en', { numeric: true });
}

/** Facts for an operator beside the figures of a run; after the end its verdict has the rest. */
export function factsOf(run: RunDto): readonly string[] {
  const findings = run.findings.map(
    ({ code, edge_id: edgeId, message }) => `${edgeId ?? wordsOf(code)}: ${message}`,
  );
  return [
    ...(run.waiting_for.length > 0 ? [`waits for ${run.waiting_for.join(', ')}`] : []),
    ...run.refusals.map(({ edge_id: edgeId, reason }) => `${edgeId} refuses: ${reason}`),
    ...(run.verdict === null ? openFacts(run) : []),
    ...run.rate_changes.map(({ at, rate }) => `${countText(rate)} tx/s from ${at.slice(11, 19)} UTC on`),
    ...run.edges.filter(({ is_silent: isSilent }) => isSilent).map(({ edge_id: id }) => `${id} is silent`),
    ...findings,
    ...webhookFacts(run),
  ];
}

/** A message that was delivered is nothing to act upon. */
function webhookFacts({ webhook }: RunDto): readonly string[] {
  if (webhook === null || webhook.state === 'delivered' || webhook.attempts === 0) return [];
  const state = webhook.state === 'failed' ? 'The result was not posted' : 'The result is not posted yet';
  return [`${state}: ${webhook.reason ?? 'no answer'}`];
}

function openFacts({ reason, violations, progress }: RunDto): readonly string[] {
  const feed = Object.entries(FEED).flatMap(([name, what]) => {
    const count = progress[name] ?? 0;
    return count > 0 ? [`${countText(count)} ${what}`] : [];
  });
  return [
    ...(reason === null ? [] : [wordsOf(reason)]),
    ...Object.entries(violations).flatMap(([check, found]) =>
      found > 0 ? [`${check}: ${countedText(found, 'violation')}`] : [],
    ),
    ...(feed.length > 0 ? [`feed: ${feed.join(', ')}`] : []),
  ];
}
