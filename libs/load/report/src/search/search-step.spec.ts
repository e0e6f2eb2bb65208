import { describe, expect, it } from '@jest/globals';
import { renderSearch, searchHeadline } from './render-search.ts';
import { judgeStep, type MaximumFound, type StepReport } from './search-step.ts';

const P99 = 'feed_latency_p99_ms';
const METRICS = [P99];

const FIGURES = { count: 9, mean: 1, p50: 1, p90: 1, p95: 1, p99: 1, p999: 1, max: 1, histogram: [] };
const NO_LATENCY = {
  send_ack: null,
  send_feed: null,
  intended_feed: null,
  send_block: null,
  intended_block: null,
  send_delay: null,
};

function report(more: {
  readonly value?: number | null;
  /** The p99 from sending. */
  readonly sent?: number;
  readonly achieved?: number;
  readonly state?: StepReport['verdict']['state'];
  readonly codes?: readonly string[];
  readonly status?: StepReport['status'];
}): StepReport {
  const {
    value = 100,
    sent = value ?? 0,
    achieved = 1,
    state = 'held',
    codes = [],
    status = 'Completed',
  } = more;
  const isMet = value !== null && value <= 500;
  return {
    run_id: 'r-1',
    headline: `${state}: <b>`,
    status,
    reason: status === 'Failed' ? 'funding_failed' : null,
    verdict: { state, reasons: codes.map((code) => ({ code })) },
    latency: { ...NO_LATENCY, send_feed: { ...FIGURES, p99: sent } },
    summary: { achieved_rate: 99, achieved_rate_ratio: achieved },
    thresholds: [
      { metric: P99, min: null, max: 500, value, is_met: isMet, is_default: false },
      { metric: 'tx_lost', min: null, max: 0, value: 0, is_met: true, is_default: true },
    ],
  };
}

describe('a step of a search', () => {
  it.each([
    ['holds', report({}), 'held', ''],
    ['holds with reservations', report({ state: 'reservations' }), 'held', ''],
    [
      'misses an objective',
      report({ value: 612.34, state: 'failed' }),
      'missed',
      `${P99} 612.3, expected at most 500`,
    ],
    ['misses one, and keeps the generator waiting', report({ value: 612, achieved: 0.5 }), 'missed', P99],
    [
      'misses one only by what waited for an account',
      report({ value: 1_189, sent: 251, achieved: 0.93, state: 'failed', codes: ['threshold_missed'] }),
      'generator',
      'only 93 %',
    ],
    ['misses one by a stall, with all sent', report({ value: 612, sent: 400 }), 'missed', P99],
    [
      'is not generated',
      report({ achieved: 0.5, state: 'failed', codes: ['threshold_missed'] }),
      'generator',
      'only 50 %',
    ],
    ['measures nothing', report({ value: null }), 'unknown', `not measured: ${P99}`],
    [
      'is decided by what a starved edge gave up',
      report({ value: null, state: 'unknown', codes: ['edge_starved', 'threshold_not_measured'] }),
      'generator',
      'unknown',
    ],
    ['is not checked', report({ state: 'unknown' }), 'unknown', 'unknown'],
    [
      'misses another threshold',
      report({ state: 'failed', codes: ['threshold_missed'] }),
      'missed',
      'failed',
    ],
    [
      'breaks a guarantee',
      report({ value: 600, state: 'failed', codes: ['nonce_violated'] }),
      'violated',
      'failed',
    ],
    ['loses a transaction', report({ state: 'failed', codes: ['acked_lost'] }), 'violated', 'failed'],
    [
      'fails',
      report({ status: 'Failed', state: 'failed', codes: ['run_failed'] }),
      'failed',
      'funding_failed',
    ],
  ])('%s', (_name, own, end, why) => {
    expect(judgeStep(own, 100, METRICS)).toMatchObject({ rate: 100, end, why: expect.stringContaining(why) });
  });

  it('is shown with its evidence, and all texts escaped', () => {
    const steps = [
      judgeStep(report({}), 100, METRICS),
      judgeStep(report({ value: 700, state: 'failed' }), 200, METRICS),
    ];
    const found: MaximumFound = {
      name: '<i>x',
      objectives: 'p99<500ms',
      maximum: 100,
      refused: 200,
      limited_by: 'missed',
      steps,
    };
    const text = renderSearch(found, 'http://127.0.0.1:7710');

    expect(searchHeadline(found)).toBe(
      'Maximum 100/s with p99<500ms; 200/s did not hold: above it an objective is missed',
    );
    expect(text).toContain('p99&lt;500ms');
    expect(text).not.toContain('<i>');
    expect(text).toContain('href="http://127.0.0.1:7710/runs/r-1/report?format=html"');
  });

  it('claims only a lower bound where something else than the target was the limit', () => {
    const found = { name: 'x', objectives: 'p99<1s', maximum: 100, refused: 200, steps: [] } as const;

    expect(searchHeadline({ ...found, limited_by: 'generator' })).toContain('At least 100/s');
    expect(searchHeadline({ ...found, maximum: null, limited_by: 'missed' })).toContain('No rate was found');
  });
});
