import { CHECKS, type Check } from '#load/oracle';
import type { ThresholdFacts, VerdictCounts, VerdictFacts } from './verdict-facts.ts';

interface Found {
  readonly message: string;
  readonly count: number;
}

interface ReasonRule<Code extends string = string> {
  readonly code: Code;
  readonly gravity: 'failed' | 'unknown' | 'reservation';
  /** The exit code, for failures only. */
  readonly exit?: 1 | 10 | 11;
  readonly find: (facts: VerdictFacts) => readonly Found[];
}

type CheckCode = `${Check}_${'violated' | 'inconclusive' | 'off' | 'not_run'}`;

/** All possible reasons against a run, in the order of their display. */
export const REASON_RULES = [
  rule('run_failed', ['failed', 1], ({ status, reason }) =>
    when(status === 'Failed', `the run failed: ${words(reason ?? 'no reason was given')}`),
  ),
  rule('counts_unbalanced', ['failed', 1], ({ isBalanced }) =>
    when(!isBalanced, 'the counts of the run do not add up'),
  ),
  ...CHECKS.map((check) =>
    rule(codeOf(check, 'violated'), ['failed', 11], ({ checks }) => {
      const found = checks[check];
      if (found.state !== 'fail') return [];
      return [{ message: `${check}: ${plural(found.violations, 'violation')}`, count: found.violations }];
    }),
  ),
  counted('acked_lost', ['failed', 11], 'acked_lost', (count) => {
    return `${plural(count, 'transaction')} acknowledged and in no block`;
  }),
  counted('expect_unmet', ['failed', 11], 'expect_unmet', (count) => {
    return `${plural(count, 'transaction')} accepted that the mix expects to fail`;
  }),
  rule('threshold_missed', ['failed', 10], ({ thresholds }) =>
    thresholds.filter(({ is_met: isMet }) => isMet === false).map(missed),
  ),
  ...CHECKS.map((check) =>
    rule(codeOf(check, 'inconclusive'), ['unknown'], ({ checks }) => {
      const found = checks[check];
      if (found.state !== 'inconclusive') return [];
      const why = found.gaps.map((gap) => `${words(gap.reason)} (${text(gap.count)})`).join(', ');
      const seen = `${text(found.checked)} of ${text(found.total)} checked`;
      const message = `${check}: ${seen}${why === '' ? '' : `, ${why}`}`;
      return [{ message, count: found.total - found.checked }];
    }),
  ),
  ...CHECKS.map((check) =>
    rule(codeOf(check, 'off'), ['unknown'], ({ checks }) =>
      when(checks[check].state === 'off', `${check}: disabled by the scenario`),
    ),
  ),
  ...CHECKS.map((check) =>
    rule(codeOf(check, 'not_run'), ['unknown'], ({ checks }) =>
      when(checks[check].state === 'not_run', `${check}: never run`),
    ),
  ),
  rule('edge_lost', ['unknown'], ({ edges }) => {
    const lost = edges.filter(({ end }) => end !== 'done');
    const names = lost.map(({ edge_id: id, end }) => `${id} ended as ${end ?? 'unknown'}`);
    return when(lost.length > 0, shortened(names), lost.length);
  }),
  counted('acked_undecided', ['unknown'], 'acked_undecided', (count) => {
    return `${plural(count, 'transaction')} acknowledged, not found and not determined to be lost`;
  }),
  rule('threshold_not_measured', ['unknown'], ({ thresholds, counts }) =>
    thresholds
      .filter(({ is_met: isMet }) => isMet === null)
      .map(({ metric }) => ({ message: `${metric}: ${unmeasured(metric, counts)}`, count: 1 })),
  ),
  rule('counts_missing', ['unknown'], ({ counts }) =>
    when(counts === null, 'recorded by a version that did not count failures'),
  ),
  counted('rejected_unexpected', ['reservation'], 'rejected_unexpected', (count) => {
    return `${plural(count, 'transaction')} rejected unexpectedly`;
  }),
  counted('reverted', ['reservation'], 'reverted', (count) => `${plural(count, 'transaction')} reverted`),
  found('out_of_gas', 'executions ran out of gas: raise gas_limit of their entry, or fees.gas_limit'),
  rule('outcome_unknown', ['reservation'], ({ counts }) => {
    if (counts === null) return [];
    const count = counts.unknown - counts.acked_lost - counts.acked_undecided - counts.edge_starved;
    return when(count > 0, `${plural(count, 'transaction')} in no block, and never acknowledged`, count);
  }),
  counted('edge_starved', ['reservation'], 'edge_starved', starved),
  counted('included_after_error', ['reservation'], 'included_after_error', (count) => {
    return `${plural(count, 'transaction')} answered with an error but included`;
  }),
  counted('correlation_misses', ['reservation'], 'correlation_misses', (count) => {
    return `${plural(count, 'transaction')} not seen in the feed in time`;
  }),
  counted('feed_gaps', ['reservation'], 'feed_gaps', (count) => {
    return `${plural(count, 'sequence number')} missing from the feed`;
  }),
  counted('feed_duplicates', ['reservation'], 'feed_duplicates', (count) => {
    return `${plural(count, 'message')} of the feed repeated`;
  }),
  counted('feed_reorganisations', ['reservation'], 'feed_reorganisations', (count) => {
    return `${plural(count, 'message')} of the feed replaced by others`;
  }),
  counted('feed_garbage', ['reservation'], 'feed_garbage', (count) => {
    return `${plural(count, 'frame')} of the feed could not be read`;
  }),
  found('block_replaced', 'blocks of the chain were replaced by others'),
  found('malformed_receipt', 'receipts could not be read'),
  found('feed_time', 'times of the feed are not those of the blocks, or go back'),
  found('feed_delayed_fell', 'the feed has read fewer messages of the parent chain than before'),
  found('feed_confirmed_ahead', 'the feed confirmed messages that it had not sent'),
  found('block_time', 'times of blocks go back'),
  found('chain_id_changed', 'an RPC had another chain id at the end'),
  found('not_reclaimed', 'ether of the funder remains on the accounts'),
  counted('feed_disconnects', ['reservation'], 'feed_disconnects', (count) => {
    return `${plural(count, 'connection')} to the feed lost and re-established`;
  }),
] as const;

type Weight = readonly [ReasonRule['gravity'], ReasonRule['exit']?];

function rule<Code extends string>(
  code: Code,
  [gravity, exit]: Weight,
  find: ReasonRule['find'],
): ReasonRule<Code> {
  return { code, gravity, ...(exit !== undefined && { exit }), find };
}

function counted<Code extends string>(
  code: Code,
  weight: Weight,
  name: keyof VerdictCounts,
  say: (count: number) => string,
): ReasonRule<Code> {
  return rule(code, weight, ({ counts }) => {
    const count = counts?.[name] ?? 0;
    return when(count > 0, say(count), count);
  });
}

/** A rule for findings with the given code, of any edge. */
function found<Code extends string>(code: Code, message: string): ReasonRule<Code> {
  return rule(code, ['reservation'], ({ findings }) =>
    when(
      findings.some((one) => one.code === code),
      message,
    ),
  );
}

function codeOf<Kind extends 'violated' | 'inconclusive' | 'off' | 'not_run'>(
  check: Check,
  kind: Kind,
): Extract<CheckCode, `${Check}_${Kind}`> {
  return `${check}_${kind}` as Extract<CheckCode, `${Check}_${Kind}`>;
}

function missed(threshold: ThresholdFacts): Found {
  const { metric, value } = threshold;
  const measured = value === null ? 'nothing was measured' : figure(value);
  return { message: `${metric}: ${measured}, expected ${boundOf(threshold)}`, count: 1 };
}

function starved(count: number): string {
  return `${plural(count, 'transaction')} unanswered while the edges had too little of the processor`;
}

/** Which counts could decide a metric. */
const OPEN_COUNTS: Readonly<Partial<Record<string, readonly ('acked_undecided' | 'edge_starved')[]>>> = {
  tx_lost: ['acked_undecided'],
  tx_failed_ratio: ['acked_undecided', 'edge_starved'],
};
const TEXT_OF = {
  acked_undecided: (count: number) => `${plural(count, 'transaction')} acknowledged and not determined`,
  edge_starved: starved,
};

function unmeasured(metric: string, counts: VerdictCounts | null): string {
  const open = (OPEN_COUNTS[metric] ?? []).flatMap((name) => {
    const count = counts?.[name] ?? 0;
    return count > 0 ? [TEXT_OF[name](count)] : [];
  });
  return open.length === 0 ? 'nothing was measured' : `undecided for ${open.join(' and ')}`;
}

/** `at least 0.98`, `at most 800`, or both. */
export function boundOf({ min, max }: Pick<ThresholdFacts, 'min' | 'max'>): string {
  const bounds = [min === null ? '' : `at least ${min}`, max === null ? '' : `at most ${max}`];
  return bounds.filter(Boolean).join(' and ');
}

function when(holds: boolean, message: string, count = 1): readonly Found[] {
  return holds ? [{ message, count }] : [];
}

const NAMES_MAX = 5;

function shortened(names: readonly string[]): string {
  const rest = names.length - NAMES_MAX;
  return [...names.slice(0, NAMES_MAX), ...(rest > 0 ? [`and ${text(rest)} more`] : [])].join(', ');
}

function plural(count: number, noun: string): string {
  return `${text(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function text(count: number): string {
  return count.toLocaleString('en');
}

/** Six digits distinguish a ratio from its bound. */
function figure(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
