/** How the transactions of an entry of the mix are encoded, and handed to the target. */
import {
  array,
  integer,
  object,
  oneOf,
  optional,
  record,
  refuse,
  required,
  type Shape,
  string,
  union,
} from '#platform/config';
import type { TransactionType } from '#load/chain';

export const SEND_WAYS = ['raw', 'sync', 'conditional', 'express_lane'] as const;
export type SendWay = (typeof SEND_WAYS)[number];

/** What must hold in the block of a transaction. */
export interface ConditionPlan {
  readonly blockNumberMin?: number | undefined;
  readonly blockNumberMax?: number | undefined;
  /** Seconds since 1970, or such as `+10s` from the sending. */
  readonly timestampMin?: number | string | undefined;
  readonly timestampMax?: number | string | undefined;
  /** By address: the root of its storage, or values of its slots. */
  readonly knownAccounts: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

export interface SendingPlan {
  readonly type: TransactionType;
  readonly accessList: readonly AccessPlan[];
  /** Of type 4. */
  readonly delegation?: DelegationPlan | undefined;
  readonly way: SendWay;
  /** Of `sync`. */
  readonly timeoutMs?: number | undefined;
  /** Of `conditional` and `express_lane`. */
  readonly conditions?: ConditionPlan | undefined;
}

interface AccessPlan {
  /** An address, or the name of a contract. */
  readonly address: string;
  readonly storageKeys: readonly string[];
}

interface DelegationPlan {
  /** An address, or the name of a contract. */
  readonly to: string;
  /** The number of authorizations in a transaction. */
  readonly count: number;
}

/** The express lane of the target (Timeboost). */
export interface ExpressLanePlan {
  readonly auctionContract: string;
  /** The controller's key: a variable of the edge's environment, or the development key. */
  readonly controllerKeyEnv?: string | undefined;
  /** `any`: with the number that asks for no order. */
  readonly sequence: 'ordered' | 'any';
}

/** An entry that names nothing else. */
export const PLAIN_SENDING: SendingPlan = { type: 2, accessList: [], way: 'raw' };

const TYPES: readonly TransactionType[] = [0, 1, 2, 4];
const ADDRESS = string('an address', /^0x[0-9a-fA-F]{40}$/);
const WORD = string('32 bytes in hexadecimal', /^0x[0-9a-fA-F]{64}$/);
const CONTRACT_OR_ADDRESS = union(ADDRESS, string('a name', /^[A-Za-z_]\w{0,63}$/));
const BLOCK = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const TIME = union(BLOCK, string('a distance', /^[+-]\d{1,9}s$/));
const LIST_MAX = 64;

const TYPE: Shape<TransactionType> = {
  expects: 'a type of transaction',
  read: (value, at) => TYPES.find((type) => type === value) ?? refuse(at, 'a type of transaction'),
};

const CONDITIONS: Shape<ConditionPlan> = object({
  blockNumberMin: optional(BLOCK, 'least block number'),
  blockNumberMax: optional(BLOCK, 'greatest block number'),
  timestampMin: optional(TIME, 'least time'),
  timestampMax: optional(TIME, 'greatest time'),
  knownAccounts: required(
    record(ADDRESS, union(WORD, record(WORD, WORD, { max: LIST_MAX })), { max: LIST_MAX }),
    'storage',
  ),
});

export const SENDING: Shape<SendingPlan> = object({
  type: required(TYPE, 'type of the transactions'),
  accessList: required(
    array(
      object({
        address: required(CONTRACT_OR_ADDRESS, 'whose storage'),
        storageKeys: required(array(WORD, { min: 0, max: LIST_MAX }), 'slots'),
      }),
      { min: 0, max: LIST_MAX },
    ),
    'access list',
  ),
  delegation: optional(
    object({
      to: required(CONTRACT_OR_ADDRESS, 'whose code is adopted'),
      count: required(integer({ min: 1, max: LIST_MAX }), 'number of authorizations'),
    }),
    'authorizations',
  ),
  way: required(oneOf(SEND_WAYS), 'the way to send'),
  timeoutMs: optional(integer({ min: 1, max: 3_600_000 }), 'time-out of sync'),
  conditions: optional(CONDITIONS, 'conditions'),
});

export const EXPRESS_LANE: Shape<ExpressLanePlan> = object({
  auctionContract: required(ADDRESS, 'the auction contract'),
  controllerKeyEnv: optional(string('the name of a variable', /^[A-Za-z_]\w{0,127}$/), 'its key'),
  sequence: required(oneOf(['ordered', 'any']), 'sequence numbers'),
});
