import {
  array,
  boolean,
  duration,
  integer,
  number,
  object,
  oneOf,
  optional,
  record,
  refuse,
  required,
  section,
  type Shape,
  string,
  union,
  withDefault,
  withWrittenDefault,
} from '#platform/config';
import { nearestName } from '#platform/foundation';
import {
  CALL_ARGUMENTS,
  CONTRACT_NAME,
  CONTRACTS,
  FUNCTION,
  GAS_LIMIT_MAX,
  SETUP,
} from './contract-shape.ts';
import { READS } from './read-shape.ts';
import { SENDING_KEYS, TIMEBOOST } from './sending-shape.ts';
import { THRESHOLD_METRICS, type ThresholdMetric } from './threshold-metric.ts';
import { WEBHOOK } from './webhook-shape.ts';
import { wei } from './wei-shape.ts';

/** The name of a threshold metric. */
function thresholdMetric(): Shape<ThresholdMetric> {
  const expects = 'a metric of docs/scenario.md';
  return {
    expects,
    read: (value, at) => {
      const metric = THRESHOLD_METRICS.find((name) => name === value);
      if (metric !== undefined) return metric;
      const nearest = typeof value === 'string' ? nearestName(value, THRESHOLD_METRICS) : undefined;
      refuse(at, nearest === undefined ? expects : `a metric: did you mean ${nearest}?`);
      return undefined;
    },
  };
}

const HOUR_MS = 3_600_000;
const RATE_MAX = 1_000_000;
const NAME = string('a name of 1 to 100 characters', /^[^\0-\x1f\x7f]{1,100}$/u);
const VARIABLE = string('the name of an environment variable', /^[A-Za-z_]\w{0,127}$/);
const HTTP_URL = string('a http:// or https:// URL', /^https?:\/\/[^\s\0]{1,2000}$/);
const HEADER_NAME = string('the name of a header', /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/);
const RATE = number({ min: 0, max: RATE_MAX });

/** The kinds of transactions in a mix. */
export const MIX_KINDS = [
  'transfer',
  'erc20_transfer',
  'deploy',
  'calldata',
  'call',
  'invalid_nonce',
] as const;

/** Failures that an entry of the mix may expect. */
export const EXPECTABLE_ERRORS = [
  'nonce_too_low',
  'nonce_too_high',
  'insufficient_funds',
  'fee_too_low',
  'gas_too_low',
  'duplicate',
  'queue_timeout',
  'reverted',
  'condition_failed',
  'sync_timeout',
] as const;

const TARGET = object({
  chain_id: required(
    integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    'the expected eth_chainId; an edge on another chain does not acknowledge',
  ),
  rpc_urls: optional(
    array(HTTP_URL, { min: 1, max: 64 }),
    'JSON-RPC of the target, the default of `send_urls` and `read_urls`; required without both',
  ),
  send_urls: optional(
    array(HTTP_URL, { min: 1, max: 64 }),
    'URLs for transactions, used in turn; an unreachable one is skipped while another is reachable. Default `rpc_urls`',
  ),
  read_urls: optional(
    array(HTTP_URL, { min: 1, max: 64 }),
    'URLs for all other requests: the first reachable one. Default `rpc_urls`',
  ),
  headers: withDefault(
    record(HEADER_NAME, string('a text', /^[\t\x20-\x7e]{1,1024}$/), { max: 32 }),
    {},
    'sent with each request and to the feed; a name that ends in `_env`, such as `Authorization_env`, refers to a ' +
      'variable of the hive and of each edge, whose value is sent under the name without `_env`',
  ),
  feed_url: optional(
    string('a ws:// or wss:// URL', /^wss?:\/\/[^\s\0]{1,2000}$/),
    'the feed; required unless correlation.feed is off',
  ),
  feed_signer: optional(
    string('an address', /^0x[0-9a-fA-F]{40}$/),
    'the required signer of every feed message (signatureV2); without it signatures are not checked',
  ),
  tips: withDefault(
    oneOf(['auto', 'paid', 'dropped']),
    'auto',
    'handling of tips: Nitro drops them, other chains pay them; auto derives it from the first receipts',
  ),
  rpc_timeout_ms: withDefault(integer({ min: 1, max: HOUR_MS }), 15_000, 'time limit of one response'),
});

const ACCOUNTS = object({
  count: required(integer({ min: 1, max: 1_000_000 }), 'number of sending accounts, divided among the edges'),
  seed_env: optional(
    VARIABLE,
    'variable of the hive and of each edge that holds the seed of all keys; without it a well-known seed, on ' +
      'development chains only',
  ),
  mnemonic_env: optional(
    VARIABLE,
    "instead of `seed_env`: variable of the hive and of each edge that holds a mnemonic (BIP-39), whose accounts m/44'/60'/0'/0/i " +
      'are used; own accounts, see below',
  ),
  keys_env: optional(
    VARIABLE,
    'instead of `seed_env`: variable of the hive and of each edge that holds private keys, one for each account; own ' +
      'accounts, see below',
  ),
  funder_key_env: optional(
    VARIABLE,
    'variable of the hive that holds the key of the account that funds the others; without it the well-known ' +
      'development account, on development chains only. Not needed for own accounts if nothing is paid or returned',
  ),
  fund_wei: optional(
    wei(),
    'the balance of each account at the start; default one ether, for own accounts 0: not funded',
  ),
  budget_wei: optional(
    wei(),
    'limit of what a run may take from the funder, including fees: a higher cost is rejected before any payment',
  ),
  reclaim: optional(
    boolean(),
    'send the ether that remains on the accounts to the funder at the end, also after an abort or a failure; default ' +
      'true, for own accounts false',
  ),
  inflight_per_account: withDefault(
    integer({ min: 1, max: 1_024 }),
    1,
    'limit of unanswered transactions of one account',
  ),
});

const STAGE = object({
  name: optional(NAME, 'its name in reports; default: its number'),
  duration: required(duration({ minMs: 1, maxMs: 24 * HOUR_MS }), 'its duration'),
  rate: optional(RATE, 'transactions per second of all edges together'),
  ramp_to: optional(RATE, 'instead of rate: linear ramp to this rate from the end of the previous stage'),
  exclude: withDefault(boolean(), false, 'a warm-up: excluded from latencies and thresholds'),
});

const LOAD = object({
  model: withDefault(
    oneOf(['open', 'closed']),
    'open',
    'open: send at a rate, independent of responses; closed: one transaction after another per user',
  ),
  stages: required(array(STAGE, { min: 1, max: 100 }), 'consecutive stages'),
  users: optional(integer({ min: 1, max: 1_000_000 }), 'for the closed model: the number of users'),
  arrival: withDefault(oneOf(['poisson', 'uniform']), 'poisson', 'the distribution of sends over time'),
  max_inflight: withDefault(
    integer({ min: 1, max: 1_000_000 }),
    5_000,
    'limit of unanswered transactions of all edges together; beyond it due transactions are counted as not sent',
  ),
  random_seed: optional(
    integer({ min: 0, max: 2 ** 32 - 1 }),
    'seed of arrival times and mix; default: random, and recorded',
  ),
});

const MIX_ENTRY = object({
  kind: required(oneOf(MIX_KINDS), 'the kind of transaction'),
  weight: required(number({ min: 0, max: 1_000_000 }), 'its relative share'),
  to: optional(
    union(oneOf(['ring']), string('an address', /^0x[0-9a-fA-F]{40}$/)),
    'for transfers: the next account, or an address; default `ring`',
  ),
  value_wei: optional(
    wei(),
    'for transfers: the amount; default 1. For calls: the ether sent with it; default 0',
  ),
  bytes: optional(integer({ min: 0, max: 120_000 }), 'for calldata: the size; default 1024'),
  contract: optional(CONTRACT_NAME, 'for calls: the name of the called contract'),
  function: optional(
    FUNCTION,
    'for calls: its function by name, or by signature such as `mint(address,uint256)`',
  ),
  args: optional(
    CALL_ARGUMENTS,
    'for calls: the arguments, which may be computed for each transaction: see below',
  ),
  gas_limit: optional(
    integer({ min: 21_000, max: GAS_LIMIT_MAX }),
    'for calls, instead of `fees.gas_limit`; required with `expect: reverted`, which cannot be estimated',
  ),
  expect: optional(oneOf(EXPECTABLE_ERRORS), 'the expected failure, which does not count as one'),
  ...SENDING_KEYS,
});

const FEES = object({
  max_fee_multiplier: withDefault(number({ min: 1, max: 1_000 }), 3, 'the fee cap, in base fees'),
  priority_fee_wei: withDefault(
    wei(),
    '0',
    'the tip per unit of gas, added to the fee cap; nodes such as geth reject tips below their minimum',
  ),
  gas_limit: withDefault(
    union(oneOf(['estimate']), integer({ min: 21_000, max: 1_000_000_000 })),
    'estimate',
    'estimated by the sequencer once for each entry, and twice that for calls; or fixed',
  ),
});

const EDGE_ID = string(
  'the edge_id of an edge: 1 to 64 letters, digits, dots, dashes or underscores',
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
);

const CORRELATION = object({
  timeout: withWrittenDefault(
    duration({ minMs: 1, maxMs: HOUR_MS }),
    '10s',
    'an accepted transaction that is not in the feed by then is a miss',
  ),
  feed: withDefault(oneOf(['per_edge', 'off']), 'per_edge', 'whether edges read the feed'),
});

const ORACLE = object({
  balance: withDefault(boolean(), true, 'check that balances are conserved, to the wei'),
  nonce: withDefault(boolean(), true, 'check that nonces rise by one'),
  gas: withDefault(boolean(), true, 'check that gas stays within its limits'),
  on_violation: withDefault(oneOf(['record', 'stop']), 'record', 'continue, or drain at once'),
});

const EDGES = object({
  min: withDefault(integer({ min: 1, max: 10_000 }), 1, 'the run waits until this number is registered'),
  ids: optional(
    array(EDGE_ID, { min: 1, max: 10_000 }),
    'the edges of the run, and no others: it waits until all of them are registered, and another run can go on beside it ' +
      'on other edges; without it the run takes every registered edge',
  ),
  start_timeout: optional(
    duration({ minMs: 1, maxMs: 720 * HOUR_MS }),
    'the hive aborts a run that has not started by then; default: it waits, and 60s with `plexus-hive run --wait`',
  ),
  fail_on_edge_loss: withDefault(
    boolean(),
    false,
    'a lost edge fails the run; otherwise the run continues degraded',
  ),
});

const THRESHOLD = object({
  metric: required(thresholdMetric(), 'the checked metric: see below'),
  min: optional(number({ min: 0, max: 1e15 }), 'lower bound'),
  max: optional(number({ min: 0, max: 1e15 }), 'upper bound'),
  abort_on_fail: withDefault(boolean(), false, 'drain as soon as the threshold is missed'),
  after: withWrittenDefault(
    duration({ minMs: 0, maxMs: 24 * HOUR_MS }),
    '0s',
    'delay of the first check, from the first measured stage',
  ),
});

/** All keys of a scenario, for the parser and the reference page. */
export const SCENARIO_SHAPE = object({
  name: required(NAME, 'the displayed name'),
  target: required(TARGET, 'the tested sequencer'),
  accounts: required(ACCOUNTS, 'the sending accounts'),
  load: required(LOAD, 'the load over time'),
  contracts: withDefault(CONTRACTS, {}, 'contracts by name, created once before the load, in this order'),
  setup: withDefault(SETUP, [], 'calls of the funder before the load, one after another'),
  mix: withDefault(
    array(MIX_ENTRY, { min: 1, max: 64 }),
    [{ kind: 'transfer', weight: 1 }],
    'the kinds of transactions, by weight',
  ),
  reads: withDefault(READS, [], 'reads beside the load, which no check judges'),
  timeboost: optional(
    TIMEBOOST,
    'the express lane of Arbitrum (Timeboost), for entries with `send: express_lane`',
  ),
  fees: section(FEES, 'transaction fees'),
  correlation: section(CORRELATION, 'correlation of transactions with the feed'),
  oracle: section(ORACLE, 'the checked invariants'),
  edges: section(EDGES, 'the participating edges'),
  thresholds: withDefault(
    array(THRESHOLD, { min: 0, max: 100 }),
    [],
    'conditions of success, in addition to four defaults; a miss is exit code 10',
  ),
  webhook: optional(WEBHOOK, 'where the result is posted when the run has ended'),
});

/** A complete, checked scenario with defaults; keys as in its text. Durations are milliseconds. */
export type Scenario = Omit<WrittenScenario, 'accounts'> & { readonly accounts: ScenarioAccounts };

/** As written: the defaults of funding depend on whose accounts they are. */
export type WrittenScenario = typeof SCENARIO_SHAPE extends Shape<infer T> ? T : never;
type ScenarioAccounts = WrittenScenario['accounts'] & {
  readonly fund_wei: string;
  readonly reclaim: boolean;
};

const ETHER_WEI = '1000000000000000000';

/** Those of a mnemonic or a list are the user's: nothing is paid to them or taken from them unasked. */
export function hasOwnAccounts({
  mnemonic_env: mnemonic,
  keys_env: keys,
}: Pick<ScenarioAccounts, 'mnemonic_env' | 'keys_env'>): boolean {
  return mnemonic !== undefined || keys !== undefined;
}

export function withAccountDefaults(written: WrittenScenario): Scenario {
  const isOwn = hasOwnAccounts(written.accounts);
  const { fund_wei = isOwn ? '0' : ETHER_WEI, reclaim = !isOwn } = written.accounts;
  return Object.freeze({ ...written, accounts: Object.freeze({ ...written.accounts, fund_wei, reclaim }) });
}

/** The number of edges that a run waits for: all that it names, else the minimum. */
export function edgesNeeded({ ids, min }: Scenario['edges']): number {
  return ids?.length ?? min;
}

/** Whether the funder pays anything, or receives what remains. */
export function needsFunder({ accounts, contracts, setup }: Scenario): boolean {
  const isCreating = Object.values(contracts).some(({ at }) => at === undefined);
  return accounts.fund_wei !== '0' || accounts.reclaim || isCreating || setup.length > 0;
}

export type ScenarioStage = Scenario['load']['stages'][number];
export type ScenarioThreshold = Scenario['thresholds'][number];
