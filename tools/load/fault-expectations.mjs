/**
 * The checks that must fail for each fault of the development sequencer; no others may. `every` counts
 * transactions and requests from the start, including those that fund the accounts, of which there are fewer.
 */
const ALL_PASS = { nonce: 'pass', balance: 'pass', gas: 'pass' };
const EVERY = 60;

const counted = (value, counters, rest = {}) => ({ value, counters, verdicts: ALL_PASS, exit: 0, ...rest });
const failed = (check) => ({
  value: EVERY,
  counters: [],
  verdicts: { ...ALL_PASS, [check]: 'fail' },
  exit: 11,
});
const missed = (counters, rest = {}) => counted(EVERY, counters, { exit: 10, ...rest });

/** For runs with all ways to send: rounds may end, and wrong answers may make a later nonce fail. */
const LANE = ['lane_expired', 'lane_sequence', 'lane_round', 'undecided', 'nonce_too_low', 'nonce_too_high'];
// The order of the express lane is judged with one edge only, and tested there.
const way = (check, value = 12) => ({ ...failed(check), value, may: LANE, hasWays: true });

/**
 * By name: `hasWays` for a run with all ways to send; `counters` must be nonzero, no others may be, except
 * those in `may`.
 */
export const EXPECTED = {
  none: counted(undefined, []),
  drop_feed_every: counted(8, ['gaps', 'misses'], {
    verdicts: { ...ALL_PASS, nonce: 'inconclusive' },
    may: ['gaps'],
    exit: 10,
  }),
  duplicate_feed_every: counted(8, ['duplicates'], { exit: 10 }),
  gap_feed_every: counted(8, ['gaps'], { exit: 10 }),
  delay_feed_ms: counted(3_000, ['late'], { exit: 10 }),
  reorg_every: counted(8, ['reorganisations'], { exit: 10 }),
  disconnect_feed_every: counted(8, ['disconnects']),
  wrong_chain_header: { value: 1, counters: [], verdicts: {}, exit: 1, refusal: 'chain_id_mismatch' },
  mint_wei_every: failed('balance'),
  steal_wei_every: failed('balance'),
  apply_nonce_twice_every: failed('nonce'),
  skip_nonce_every: failed('nonce'),
  gas_over_limit_every: failed('gas'),
  http_429_every: missed(['rate_limited']),
  hang_every: missed(['rpc_timeout']),
  reset_every: missed(['rpc_transport']),
  accept_then_drop_every: missed(['lost', 'misses'], { may: ['nonce_too_high'], exit: 11 }),
  error_but_include_every: counted(EVERY, ['queue_timeout']),
  timeboosted_wrong_every: way('nonce'),
  ignore_conditions_every: way('nonce', 3),
  sync_receipt_wrong_every: way('gas'),
};
