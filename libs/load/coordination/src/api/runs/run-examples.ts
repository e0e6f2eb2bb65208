/** A one-minute scenario against the development sequencer. */
export const SCENARIO_EXAMPLE = {
  name: 'smoke',
  target: {
    chain_id: 412_346,
    rpc_urls: ['http://127.0.0.1:8547'],
    feed_url: 'ws://127.0.0.1:9642',
  },
  accounts: { count: 200 },
  load: {
    stages: [
      { name: 'warm', duration: '10s', rate: 50, exclude: true },
      { name: 'steady', duration: '50s', rate: 200 },
    ],
  },
  mix: [
    { kind: 'transfer', weight: 99 },
    { kind: 'invalid_nonce', weight: 1, expect: 'nonce_too_low' },
  ],
  thresholds: [{ metric: 'feed_latency_p99_ms', max: 800 }],
};

const TALLY = {
  planned: 10_500,
  sent: 10_500,
  acked: 10_395,
  included: 10_395,
  rejected: 105,
  unknown: 0,
  not_sent: 0,
  in_flight: 0,
  failed_unexpected: 0,
  feed_messages: 241,
  correlation_misses: 0,
  events_dropped: 0,
  feed_gaps: 0,
  feed_duplicates: 0,
  feed_reorganisations: 0,
  feed_disconnects: 0,
  rejected_unexpected: 0,
  reverted: 0,
  included_after_error: 0,
  expect_unmet: 0,
  acked_lost: 0,
  acked_undecided: 0,
  feed_garbage: 0,
  edge_starved: 0,
};

const ZERO = Object.fromEntries(Object.keys(TALLY).map((name) => [name, 0]));

export const RUN_SUMMARY_EXAMPLE = {
  run_id: 'r-20261121-142000-k3v9ax',
  name: 'smoke',
  status: 'Running',
  phase: 'steady',
  reason: null,
  created_at: '2026-11-21T14:20:00.000Z',
  started_at: '2026-11-21T14:20:04.000Z',
  ended_at: null,
  is_degraded: false,
  verdict: null,
  headline: null,
  rate: null,
  p50_ms: null,
  p99_ms: null,
  duration_s: null,
};

const WAITING = {
  run_id: 'r-20261121-142000-k3v9ax',
  name: 'smoke',
  status: 'Starting',
  phase: 'awaiting_acks',
  reason: null,
  created_at: '2026-11-21T14:20:00.000Z',
  started_at: null,
  ended_at: null,
  is_degraded: false,
  verdict: null,
  headline: null,
  rate: null,
  p50_ms: null,
  p99_ms: null,
  duration_s: null,
  waiting_for: ['edge-1'],
  refusals: [{ edge_id: 'edge-1', code: 'rpc_unreachable', reason: 'connect ECONNREFUSED 127.0.0.1:8547' }],
  edges_min: 1,
  edges: [{ edge_id: 'edge-1', state: 'refused', reason: null, is_silent: false, sent: 0 }],
  elapsed_s: null,
  planned_s: 60,
  stage: null,
  target_rate: null,
  rate_changes: [],
  funded: null,
  progress: ZERO,
  measured: ZERO,
  not_sent: [],
  latencies: {},
  violations: { nonce: 0, balance: 0, gas: 0 },
  thresholds: [],
  oracle: {},
  findings: [],
  webhook: null,
};

export const RUN_WAITING_EXAMPLE = WAITING;

export const RUN_EXAMPLE = {
  ...WAITING,
  ...RUN_SUMMARY_EXAMPLE,
  waiting_for: [],
  refusals: [],
  edges: [{ edge_id: 'edge-1', state: 'running', reason: null, is_silent: false, sent: 10_500 }],
  elapsed_s: 51.2,
  stage: 'steady',
  target_rate: 200,
  funded: { funded: 200, count: 200 },
  progress: TALLY,
  measured: { ...TALLY, planned: 10_000, sent: 10_000, acked: 9_900, included: 9_900, rejected: 100 },
  latencies: {
    feed_latency: { count: 9_900, p50: 131, p90: 236, p95: 247, p99: 261, p999: 297, max: 301 },
  },
};
