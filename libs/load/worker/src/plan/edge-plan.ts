import {
  array,
  boolean,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  readDocument,
  record,
  refuse,
  required,
  type Shape,
  string,
  union,
} from '#platform/config';
import { assert, DomainError } from '#platform/foundation';
import type { KeyKind } from './account-keys.ts';
import { EXPRESS_LANE, type ExpressLanePlan, SENDING, type SendingPlan } from './sending-plan.ts';
import { type ReadPlan, READS } from './read-plan.ts';
import { FAILURE_CLASSES, type FailureClass } from '../rpc/failure-class.ts';

/** The kinds of transactions in a mix. */
export const TRANSACTION_KINDS = [
  'transfer',
  'erc20_transfer',
  'deploy',
  'calldata',
  'call',
  'invalid_nonce',
] as const;
export type TransactionKind = (typeof TRANSACTION_KINDS)[number];

/** One edge's part of a load test. */
export interface EdgePlan {
  readonly runId: string;
  readonly edgeId: string;
  /** The seed of the accounts' keys: a variable of the edge's environment, or the development seed. */
  readonly seed: SeedSource;
  readonly chainId: number;
  /** Transactions go to them in turn. */
  readonly rpcUrls: readonly string[];
  /** All other requests are sent to the first reachable one; default `rpcUrls`. */
  readonly readUrls?: readonly string[] | undefined;
  /** Sent with each request, and to the feed: names ending in `_env` name variables of the edge. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Required if the feed is read. */
  readonly feedUrl?: string | undefined;
  /** The required signer of every feed message; undefined: signatures are not checked. */
  readonly feedSigner?: string | undefined;
  readonly rpcTimeoutMs: number;
  readonly accounts: AccountPlan;
  readonly load: LoadPlan;
  readonly mix: readonly MixEntry[];
  /** The contracts that the mix calls. */
  readonly contracts?: readonly ContractPlan[] | undefined;
  /** Reads beside the load. */
  readonly reads?: readonly ReadPlan[] | undefined;
  /** Required by entries with the way `express_lane`. */
  readonly expressLane?: ExpressLanePlan | undefined;
  readonly fees: FeePlan;
  readonly correlation: CorrelationPlan;
  /** Determines the arrival times and the order of kinds. */
  readonly randomSeed: number;
  readonly telemetry: TelemetryPlan;
}

/** Exactly one of the keys; all but `fixed` are names of variables of the edge. */
export interface SeedSource {
  readonly env?: string | undefined;
  readonly mnemonic?: string | undefined;
  readonly keys?: string | undefined;
  readonly fixed?: 'development' | undefined;
}

/** The edge's partition, `first` up to but not including `first + count`. */
export interface AccountPlan {
  readonly first: number;
  readonly count: number;
  readonly inflightPerAccount: number;
  readonly fundWei: string;
  /** The account that funds the others, and receives the rest; null if they are already funded. */
  readonly funder: { readonly address: string } | null;
  readonly reclaim: boolean;
  /** Accounts of the whole run; default: those of the partition. */
  readonly total?: number | undefined;
}

/** A contract of the run, whose address the hive tells before the load. */
export interface ContractPlan {
  readonly name: string;
  /** Address of a contract that the run does not create. */
  readonly at?: string | undefined;
  /** Declarations of its errors, to decode why calls reverted. */
  readonly errors: readonly string[];
}

/** A call in the mix. */
export interface CallPlan {
  readonly contract: string;
  /** `function mint(address to, uint256 id)` */
  readonly declaration: string;
  readonly args: readonly unknown[];
}

export interface LoadPlan {
  readonly model: 'open' | 'closed';
  /** This edge's share, one after another. */
  readonly stages: readonly LoadStage[];
  /** Open model: exponential or equal times between sends. */
  readonly arrival: 'poisson' | 'uniform';
  /** Time of the first uniform arrival, as a share of the distance between two; drawn if missing. */
  readonly phase?: number | undefined;
  readonly maxInflight: number;
  /** Closed model: the number of users. */
  readonly users?: number | undefined;
}

/** The rate changes linearly from start to end, in transactions per second. Both 0: a pause. */
export interface LoadStage {
  readonly name: string;
  readonly durationMs: number;
  readonly startRate: number;
  readonly endRate: number;
  /** Excluded from the measured figures: a warm-up. */
  readonly exclude: boolean;
}

export interface MixEntry {
  readonly kind: TransactionKind;
  readonly weight: number;
  /** `ring` (the next account of the partition, the default) or an address. */
  readonly to?: string | undefined;
  /** The amount of each transaction, default 1; for `erc20_transfer` in the smallest units of the token. */
  readonly valueWei?: string | undefined;
  /**
   * Size of the data of `calldata` (default 1,024), or of the data after the code of `deploy` (default 0).
   */
  readonly bytes?: number | undefined;
  /** The call, for an entry of kind `call`. */
  readonly call?: CallPlan | undefined;
  /** Instead of the gas limit of all fees. */
  readonly gasLimit?: number | undefined;
  /** The expected error class, which is no failure for this entry. */
  readonly expect?: FailureClass | undefined;
  /** Default: EIP-1559, eth_sendRawTransaction. */
  readonly sending?: SendingPlan | undefined;
}

export interface FeePlan {
  /** Multiple of the latest base fee. */
  readonly maxFeeMultiplier: number;
  /** Estimated by the sequencer once for each kind, or fixed. */
  readonly gasLimit: 'estimate' | number;
  /** The tip, above the base fee; default 0. */
  readonly priorityFeeWei?: string | undefined;
}

export interface CorrelationPlan {
  /** Time after which a transaction missing from the feed is a miss; also the maximum wait at the end. */
  readonly timeoutMs: number;
  readonly feed: 'per_edge' | 'off';
}

export interface TelemetryPlan {
  readonly intervalMs: number;
}

const NAME = string('a name of 1 to 128 characters', /^[^\0-\x1f\x7f]{1,128}$/u);
const ADDRESS = string('an address', /^0x[0-9a-fA-F]{40}$/);
const WEI = string('an amount in digits', /^(?:0|[1-9]\d{0,77})$/);
const HEADER_NAME = string('a name of a header', /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/);
const COUNT_MAX = 1_000_000;
const INVALID_SHARE_MAX = 0.9;
const RATE = number({ min: 0, max: 1_000_000 });
const HOUR_MS = 3_600_000;
const TIMEOUT = integer({ min: 1, max: HOUR_MS });

const VARIABLE = string('the name of a variable', /^[A-Za-z_]\w{0,127}$/);
const SEED = object({
  env: optional(VARIABLE, 'variable of the edge that holds the seed'),
  mnemonic: optional(VARIABLE, 'variable of the edge that holds a mnemonic'),
  keys: optional(VARIABLE, 'variable of the edge that holds private keys'),
  fixed: optional(oneOf(['development']), 'the well-known seed'),
});

const SEED_EXPECTED = 'seed: expected either `env`, `mnemonic`, `keys` or `fixed`';

const ACCOUNTS = object({
  first: required(integer({ min: 0, max: 2 ** 32 - 1 }), 'number of the first account'),
  count: required(integer({ min: 1, max: COUNT_MAX }), 'number of accounts'),
  inflightPerAccount: required(
    integer({ min: 1, max: 1_024 }),
    'limit of unanswered transactions of one account',
  ),
  fundWei: required(WEI, 'initial balance of each account'),
  funder: required(nullable(object({ address: required(ADDRESS, 'address of the funder') })), 'the funder'),
  reclaim: required(boolean(), 'whether the remainder is returned'),
  total: optional(integer({ min: 1, max: COUNT_MAX }), 'accounts of the whole run'),
});

const STAGE = object({
  name: required(NAME, 'name in reports'),
  durationMs: required(integer({ min: 1, max: 1_000 * HOUR_MS }), 'duration'),
  startRate: required(RATE, 'rate at the start'),
  endRate: required(RATE, 'rate at the end'),
  exclude: required(boolean(), 'a warm-up'),
});

const LOAD = object({
  model: required(oneOf(['open', 'closed']), 'by rate (open) or by users (closed)'),
  stages: required(array(STAGE, { min: 1, max: 1_000 }), 'consecutive stages'),
  arrival: required(oneOf(['poisson', 'uniform']), 'distribution of sends over time'),
  phase: optional(number({ min: 0, max: 1 }), 'the first of uniform arrivals, as a share of their distance'),
  maxInflight: required(integer({ min: 1, max: 1_000_000 }), 'limit of unanswered transactions'),
  users: optional(integer({ min: 1, max: 1_000_000 }), 'number of users of the closed model'),
});

const GAS_LIMIT = integer({ min: 21_000, max: 2 ** 40 });
const ANY_VALUES: Shape<readonly unknown[]> = {
  expects: 'a list',
  read: (value, at) => (Array.isArray(value) ? (value as readonly unknown[]) : refuse(at, 'a list')),
};
const DECLARATION = string('a declaration in Solidity', /^(?:function|error)\s[^\0]{1,8192}$/);

const CALL = object({
  contract: required(NAME, 'name of the contract'),
  declaration: required(DECLARATION, 'the function'),
  args: required(ANY_VALUES, 'the arguments'),
});

const CONTRACT = object({
  name: required(NAME, 'the name'),
  at: optional(ADDRESS, 'its address'),
  errors: required(array(DECLARATION, { min: 0, max: 2_000 }), 'its errors'),
});

const MIX_ENTRY = object({
  kind: required(oneOf(TRANSACTION_KINDS), 'the kind'),
  weight: required(number({ min: 0, max: 1e9 }), 'its share'),
  to: optional(union(oneOf(['ring']), ADDRESS), 'the receiver'),
  valueWei: optional(WEI, 'the amount'),
  bytes: optional(integer({ min: 0, max: 120_000 }), 'size of the data'),
  call: optional(CALL, 'the called function'),
  gasLimit: optional(GAS_LIMIT, 'its gas limit'),
  expect: optional(oneOf(FAILURE_CLASSES), 'expected failure'),
  sending: optional(SENDING, 'type and way'),
});

const HTTP_URL = string('a http:// or https:// URL', /^https?:\/\/\S{1,2000}$/);

const EDGE_PLAN: Shape<EdgePlan> = object({
  runId: required(NAME, 'the run'),
  edgeId: required(NAME, 'this edge'),
  seed: required(SEED, 'seed of the keys'),
  chainId: required(integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), 'the chain'),
  rpcUrls: required(array(HTTP_URL, { min: 1, max: 64 }), 'RPC'),
  readUrls: optional(array(HTTP_URL, { min: 1, max: 64 }), 'RPC for all but transactions'),
  headers: optional(record(HEADER_NAME, string('a text'), { max: 32 }), 'headers of each request'),
  feedUrl: optional(string('a ws:// or wss:// URL', /^wss?:\/\/\S{1,2000}$/), 'the feed'),
  feedSigner: optional(ADDRESS, 'signer of the feed'),
  rpcTimeoutMs: required(TIMEOUT, 'time limit of one request'),
  accounts: required(ACCOUNTS, 'the partition'),
  load: required(LOAD, 'load over time'),
  mix: required(array(MIX_ENTRY, { min: 1, max: 100 }), 'transaction mix'),
  contracts: optional(array(CONTRACT, { min: 0, max: 32 }), 'called contracts'),
  reads: optional(READS, 'reads beside the load'),
  expressLane: optional(EXPRESS_LANE, 'the express lane'),
  fees: required(
    object({
      maxFeeMultiplier: required(number({ min: 1, max: 1_000 }), 'multiple of the base fee'),
      gasLimit: required(union(oneOf(['estimate']), GAS_LIMIT), 'gas'),
      priorityFeeWei: optional(WEI, 'the tip'),
    }),
    'fees',
  ),
  correlation: required(
    object({
      timeoutMs: required(TIMEOUT, 'time after which a transaction is a miss'),
      feed: required(oneOf(['per_edge', 'off']), 'whether the feed is read'),
    }),
    'correlation',
  ),
  randomSeed: required(integer({ min: 0, max: 2 ** 32 - 1 }), 'seed of arrival times and mix'),
  telemetry: required(
    object({ intervalMs: required(integer({ min: 100, max: 60_000 }), 'length of an interval') }),
    'telemetry',
  ),
});

/**
 * The plan in a `Prepare`, completely checked and frozen. Throws INVALID_CONFIG with all faults, for the
 * hive.
 */
export function parseEdgePlan(json: string): EdgePlan {
  const plan = readDocument(EDGE_PLAN, parseJson(json), 'plan');
  const faults = crossFaults(plan);
  if (faults.length === 0) return plan;
  throw new DomainError('INVALID_CONFIG', `plan: ${faults.join('; ')}`, { details: { faults } });
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new DomainError('INVALID_CONFIG', 'plan: expected JSON', { cause });
  }
}

/** The URLs for all requests except transactions. */
export function readUrlsOf({ rpcUrls, readUrls }: Pick<EdgePlan, 'rpcUrls' | 'readUrls'>): readonly string[] {
  return readUrls ?? rpcUrls;
}

/** Checks across several keys. */
function crossFaults(plan: EdgePlan): readonly string[] {
  const { seed, accounts, load, mix, correlation, feedUrl } = plan;
  const weightOf = (entries: readonly MixEntry[]): number =>
    entries.reduce((sum, { weight }) => sum + weight, 0);
  const invalid = weightOf(mix.filter(({ kind }) => kind === 'invalid_nonce'));
  const rules: readonly [boolean, string][] = [
    [Object.values(seed).filter((one) => one !== undefined).length === 1, SEED_EXPECTED],
    [accounts.first + accounts.count <= 2 ** 32, 'accounts: expected numbers below 4294967296'],
    [load.model === 'open' || load.users !== undefined, 'load.users: the closed model needs it'],
    [correlation.feed === 'off' || feedUrl !== undefined, 'feedUrl: the feed must be read'],
    [weightOf(mix) > 0, 'mix: expected a weight above 0'],
    [mix.every(({ kind, call }) => (kind === 'call') === (call !== undefined)), 'mix: calls have a function'],
    [plan.expressLane !== undefined || !usesExpressLane(plan), 'expressLane: an entry of the mix needs it'],
    [invalid <= weightOf(mix) * INVALID_SHARE_MAX, 'mix: expected at most 90 % of invalid_nonce'],
  ];
  return rules.flatMap(([holds, fault]) => (holds ? [] : [fault]));
}

/** Whether transactions are sent by the express lane. */
export function usesExpressLane({ mix }: Pick<EdgePlan, 'mix'>): boolean {
  return mix.some(({ sending }) => sending?.way === 'express_lane');
}

/** Number of users; 0 in the open model. */
export function usersOf({ load }: EdgePlan): number {
  if (load.model === 'open') return 0;
  assert(load.users !== undefined, 'a closed model has users');
  return load.users;
}

/** The variable of a source that is not fixed, and what it holds. */
export function variableOf({ env, mnemonic, keys }: SeedSource): {
  readonly variable: string;
  readonly kind: KeyKind;
} {
  if (mnemonic !== undefined) return { variable: mnemonic, kind: 'mnemonic' };
  return keys === undefined ? { variable: env ?? '', kind: 'seed' } : { variable: keys, kind: 'keys' };
}
