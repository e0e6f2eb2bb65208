import { describe, expect, it } from '@jest/globals';
import { decidingReasons, exitCodeOf, headlineOf, type RunVerdict, verdictOf } from './run-verdict.ts';
import type { CheckFacts, ThresholdFacts, VerdictCounts, VerdictFacts } from './verdict-facts.ts';
import { verdictOfRun } from '../verdict-of-run.ts';

const PASS: CheckFacts = { state: 'pass', violations: 0, checked: 9, total: 9, gaps: [] };
const FAIL: CheckFacts = { state: 'fail', violations: 2, checked: 9, total: 9, gaps: [] };
const GAPS = [{ reason: 'feed_gap', count: 2 }] as const;
const INCONCLUSIVE: CheckFacts = { state: 'inconclusive', violations: 0, checked: 7, total: 9, gaps: GAPS };
const NOTHING: VerdictCounts = {
  acked_lost: 0,
  acked_undecided: 0,
  edge_starved: 0,
  feed_garbage: 0,
  expect_unmet: 0,
  rejected_unexpected: 0,
  reverted: 0,
  unknown: 0,
  included_after_error: 0,
  correlation_misses: 0,
  feed_gaps: 0,
  feed_duplicates: 0,
  feed_reorganisations: 0,
  feed_disconnects: 0,
};
const MET: ThresholdFacts = { metric: 'tx_lost', min: null, max: 0, value: 0, is_met: true };
const MISSED: ThresholdFacts = {
  metric: 'tx_failed_ratio',
  min: null,
  max: 0.01,
  value: 0.27,
  is_met: false,
};
const UNMEASURED: ThresholdFacts = {
  metric: 'tx_failed_ratio',
  min: null,
  max: 0.01,
  value: null,
  is_met: null,
};

const HELD: VerdictFacts = {
  status: 'Completed',
  reason: null,
  isBalanced: true,
  checks: { nonce: PASS, balance: PASS, gas: PASS },
  counts: NOTHING,
  thresholds: [MET],
  findings: [],
  edges: [{ edge_id: 'a', end: 'done' }],
};

const TOLERANT = { allowsUnknown: true, isStrict: false };
const STRICT = { allowsUnknown: false, isStrict: true };
const PLAIN = { allowsUnknown: false, isStrict: false };

const withCheck = (check: CheckFacts): Partial<VerdictFacts> => ({
  checks: { ...HELD.checks, nonce: check },
});
const withCounts = (counts: Partial<VerdictCounts>): Partial<VerdictFacts> => ({
  counts: { ...NOTHING, ...counts },
});
const withFinding = (code: string): Partial<VerdictFacts> => ({
  findings: [{ code, message: 'so many' }],
});
const judge = (...facts: readonly Partial<VerdictFacts>[]): RunVerdict =>
  verdictOf(Object.assign({}, HELD, ...facts) as VerdictFacts);

/** Every reason against a run, alone: state, exit code, exit code with --strict, reason code. */
const CASES: readonly (readonly [
  string,
  Partial<VerdictFacts>,
  readonly [state: string, exit: number, strictExit: number, code: string | undefined],
])[] = [
  ['nothing', {}, ['held', 0, 0, undefined]],
  ['a failed run', { status: 'Failed', reason: 'aborted' }, ['failed', 1, 1, 'run_failed']],
  ['counts that do not add up', { isBalanced: false }, ['failed', 1, 1, 'counts_unbalanced']],
  ['a check that fails', withCheck(FAIL), ['failed', 11, 11, 'nonce_violated']],
  ['an acknowledged loss', withCounts({ acked_lost: 3, unknown: 3 }), ['failed', 11, 11, 'acked_lost']],
  [
    'an undecided loss',
    withCounts({ acked_undecided: 3, unknown: 3 }),
    ['unknown', 12, 12, 'acked_undecided'],
  ],
  ['an expect that was not met', withCounts({ expect_unmet: 1 }), ['failed', 11, 11, 'expect_unmet']],
  ['a missed threshold', { thresholds: [MET, MISSED] }, ['failed', 10, 10, 'threshold_missed']],
  ['an inconclusive check', withCheck(INCONCLUSIVE), ['unknown', 12, 12, 'nonce_inconclusive']],
  ['a check that is off', withCheck({ state: 'off' }), ['unknown', 12, 12, 'nonce_off']],
  ['a check that never ran', withCheck({ state: 'not_run' }), ['unknown', 12, 12, 'nonce_not_run']],
  ['a lost edge', { edges: [{ edge_id: 'a', end: 'lost' }] }, ['unknown', 12, 12, 'edge_lost']],
  ['an unmeasured default', { thresholds: [UNMEASURED] }, ['unknown', 12, 12, 'threshold_not_measured']],
  ['a record of an earlier version', { counts: null }, ['unknown', 12, 12, 'counts_missing']],
  ['a refusal', withCounts({ rejected_unexpected: 1 }), ['reservations', 0, 10, 'rejected_unexpected']],
  ['a revert', withCounts({ reverted: 1 }), ['reservations', 0, 10, 'reverted']],
  ['calls without enough gas', withFinding('out_of_gas'), ['reservations', 0, 10, 'out_of_gas']],
  ['an unknown outcome', withCounts({ unknown: 1 }), ['reservations', 0, 10, 'outcome_unknown']],
  [
    'a false refusal',
    withCounts({ included_after_error: 1 }),
    ['reservations', 0, 10, 'included_after_error'],
  ],
  ['a miss', withCounts({ correlation_misses: 1 }), ['reservations', 0, 10, 'correlation_misses']],
  ['a gap of the feed', withCounts({ feed_gaps: 1 }), ['reservations', 0, 10, 'feed_gaps']],
  ['a replaced block', withFinding('block_replaced'), ['reservations', 0, 10, 'block_replaced']],
  ['a malformed receipt', withFinding('malformed_receipt'), ['reservations', 0, 10, 'malformed_receipt']],
  ...['feed_time', 'feed_delayed_fell', 'feed_confirmed_ahead', 'block_time', 'chain_id_changed'].map(
    (code) => [code, withFinding(code), ['reservations', 0, 10, code]] as const,
  ),
  [
    'ether that stays on the accounts',
    withFinding('not_reclaimed'),
    ['reservations', 0, 10, 'not_reclaimed'],
  ],
  ['a finding of no weight', withFinding('clock_uncertain'), ['held', 0, 0, undefined]],
  ['a repeat in the feed', withCounts({ feed_duplicates: 1 }), ['reservations', 0, 10, 'feed_duplicates']],
  [
    'a reorganisation',
    withCounts({ feed_reorganisations: 1 }),
    ['reservations', 0, 10, 'feed_reorganisations'],
  ],
  ['an unreadable frame', withCounts({ feed_garbage: 1 }), ['reservations', 0, 10, 'feed_garbage']],
  ['a starved edge', withCounts({ edge_starved: 1, unknown: 1 }), ['reservations', 0, 10, 'edge_starved']],
  ['a lost connection', withCounts({ feed_disconnects: 1 }), ['reservations', 0, 10, 'feed_disconnects']],
];

const HEADS = {
  held: 'Passed: every promise checked, every threshold met',
  reservations: 'Passed with reservations',
  failed: 'Failed',
  unknown: 'Inconclusive',
} as const;

describe('the verdict on a run', () => {
  it.each(CASES)('with %s', (_name, facts, [state, exit, strictExit, code]) => {
    const verdict = judge(facts);

    expect(verdict.state).toBe(state);
    expect(verdict.reasons.map((reason) => reason.code)).toEqual(code === undefined ? [] : [code]);
    expect(exitCodeOf(verdict, PLAIN)).toBe(exit);
    expect(exitCodeOf(verdict, STRICT)).toBe(strictExit);
    expect(exitCodeOf(verdict, TOLERANT)).toBe(exit === 12 ? 0 : exit);
    expect(headlineOf(verdict).startsWith(HEADS[verdict.state])).toBe(true);
    for (const { message, count } of verdict.reasons) {
      expect(headlineOf(verdict)).toContain(message);
      expect(count).toBeGreaterThan(0);
    }
  });

  it('has the graver state of any two reasons, and names both', () => {
    const order = ['failed', 'unknown', 'reservations', 'held'];
    for (const [, one, [oneState, oneExit, , oneCode]] of CASES) {
      for (const [, other, [otherState, otherExit, , otherCode]] of CASES) {
        // Two cases that change the same fact cannot be combined.
        if (Object.keys(one).some((name) => name in other)) continue;
        const verdict = judge(one, other);

        expect(verdict.state).toBe(order.find((state) => [oneState, otherState].includes(state)));
        const codes = [oneCode, otherCode].filter((code) => code !== undefined);
        expect(new Set(verdict.reasons.map(({ code }) => code))).toEqual(new Set(codes));
        const exits = [oneExit, otherExit];
        const first = [1, 11, 10, 12, 0].find((exit) => exits.includes(exit));
        expect(exitCodeOf(verdict, PLAIN)).toBe(first);
      }
    }
  });

  it('uses the words of the held headline in no other one', () => {
    for (const [, facts, [state]] of CASES) {
      const headline = headlineOf(judge(facts));
      if (state !== 'held') expect(headline).not.toMatch(/it held|(?:every|all) promise/i);
    }
  });

  it('is decided by the gravest reason, and lists all', () => {
    const verdict = judge(withCheck(INCONCLUSIVE), withCounts({ reverted: 334 }), { thresholds: [MISSED] });

    expect(decidingReasons(verdict).map(({ code }) => code)).toEqual(['threshold_missed']);
    expect(verdict.reasons.map(({ message }) => message)).toEqual([
      'tx_failed_ratio: 0.27, expected at most 0.01',
      'nonce: 7 of 9 checked, feed gap (2)',
      '334 transactions reverted',
    ]);
    expect(headlineOf(verdict)).toBe('Failed: tx_failed_ratio: 0.27, expected at most 0.01');
  });

  it('keeps its reservations if unknown results are allowed', () => {
    const verdict = judge(withCheck(INCONCLUSIVE), withCounts({ reverted: 1 }));

    expect(exitCodeOf(verdict, TOLERANT)).toBe(0);
    expect(exitCodeOf(verdict, { allowsUnknown: true, isStrict: true })).toBe(10);
  });
});

describe('verdictOfRun', () => {
  const tally = {
    planned: 2,
    sent: 2,
    not_sent: 0,
    included: 2,
    rejected: 0,
    feed_messages: 1,
    events_dropped: 0,
    ...NOTHING,
  };
  const passed = { verdict: 'pass', coverage: { checked: 1, total: 1 }, violation_count: 0 } as const;
  const record = {
    status: 'Completed',
    reason: null,
    thresholds: [],
    edges: [],
    findings: [],
    tally,
    scenario: { oracle: { nonce: true, balance: true, gas: true } },
    oracle: { nonce: passed, balance: passed, gas: passed },
  };

  it('returns null before the end', () => {
    expect(verdictOfRun({ ...record, status: 'Running' })).toBeNull();
  });

  it('distinguishes a disabled check from one that never ran', () => {
    const oracle = { nonce: passed };
    const scenario = { oracle: { nonce: true, balance: false, gas: true } };

    expect(verdictOfRun(record)?.state).toBe('held');
    expect(verdictOfRun({ ...record, oracle, scenario })?.reasons.map(({ code }) => code)).toEqual([
      'balance_off',
      'gas_not_run',
    ]);
  });

  it('is unknown if an earlier version did not count failures', () => {
    const counted = Object.fromEntries(Object.entries(tally).filter(([name]) => name !== 'acked_lost'));

    expect(verdictOfRun({ ...record, tally: counted as typeof tally })).toMatchObject({
      state: 'unknown',
      reasons: [{ code: 'counts_missing' }],
    });
  });

  it('leads with the machine where what starved edges gave up could decide a threshold', () => {
    const limited = judge({ thresholds: [MET, UNMEASURED] }, withCounts({ edge_starved: 3, unknown: 3 }));
    const failed = judge({ thresholds: [MET, MISSED] }, withCounts({ edge_starved: 3, unknown: 3 }));

    expect([limited.state, exitCodeOf(limited, PLAIN)]).toEqual(['unknown', 12]);
    expect(headlineOf(limited)).toBe(
      'The machine was the limit: tx_failed_ratio: undecided for 3 transactions unanswered while the edges ' +
        'had too little of the processor',
    );
    expect(headlineOf(failed)).toMatch(/^Failed: tx_failed_ratio: 0\.27/);
  });

  it('leads with the load that was not reached where nothing else decides', () => {
    const unreached = { ...MISSED, metric: 'achieved_rate_ratio', min: 0.98, max: null, value: 0.5 };
    const alone = judge({ thresholds: [unreached] });
    const both = judge({ thresholds: [unreached, MISSED] });

    expect([headlineOf(alone), exitCodeOf(alone, PLAIN), alone.state]).toEqual([
      'The planned load was not reached: achieved_rate_ratio: 0.5, expected at least 0.98',
      10,
      'failed',
    ]);
    expect(headlineOf(both)).toMatch(/^Failed: /);
  });
});
