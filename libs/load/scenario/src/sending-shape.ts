/** The keys of types, lists and ways to send of an entry of the mix, and of the express lane. */
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
  withDefault,
} from '#platform/config';
import { CONTRACT_NAME } from './contract-shape.ts';

/** The ways to hand a transaction to the target. */
export const SEND_WAYS = ['raw', 'sync', 'conditional', 'express_lane'] as const;

const TYPES = [0, 1, 2, 4] as const;
const ADDRESS = string('an address', /^0x[0-9a-fA-F]{40}$/);
const WORD = string('32 bytes in hexadecimal', /^0x[0-9a-fA-F]{64}$/);
const BLOCK = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const VARIABLE = string('the name of an environment variable', /^[A-Za-z_]\w{0,127}$/);
/** Seconds since 1970, or relative to the sending. */
const TIME = union(
  integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  string('a distance from the sending such as +10s or -1s', /^[+-]\d{1,9}s$/),
);
const CONTRACT_OR_ADDRESS = union(ADDRESS, CONTRACT_NAME);

function transactionType(): Shape<(typeof TYPES)[number]> {
  const expects = 'one of 0, 1, 2 and 4';
  return { expects, read: (value, at) => TYPES.find((type) => type === value) ?? refuse(at, expects) };
}

const ACCESS = object({
  address: required(CONTRACT_OR_ADDRESS, 'an address, or the name of a contract'),
  storage_keys: withDefault(array(WORD, { min: 0, max: 64 }), [], 'slots of its storage'),
});

const CONDITIONS = object({
  block_number_min: optional(BLOCK, 'the least block number; on Nitro that of the parent chain'),
  block_number_max: optional(BLOCK, 'the greatest block number; on Nitro that of the parent chain'),
  timestamp_min: optional(
    TIME,
    'the least time of the block, in seconds, or such as `+1s` after the sending',
  ),
  timestamp_max: optional(
    TIME,
    'the greatest time of the block, in seconds, or such as `+1s` after the sending',
  ),
  known_accounts: withDefault(
    record(ADDRESS, union(WORD, slots()), { max: 64 }),
    {},
    'by address: the root of its storage, or a table of its slots with their values',
  ),
});

/** Slots with values, each of 32 bytes. */
function slots(): Shape<Readonly<Record<string, string>>> {
  const shape = record(WORD, WORD, { max: 64 });
  return { ...shape, expects: 'a table of slots and values of 32 bytes in hexadecimal' };
}

/** The keys that an entry of the mix has in addition to those of its kind. */
export const SENDING_KEYS = {
  type: optional(
    transactionType(),
    'type of the transaction: 0 legacy, 1 with access list (EIP-2930), 2 (EIP-1559, the default), 4 with ' +
      'authorizations (EIP-7702)',
  ),
  access_list: optional(
    array(ACCESS, { min: 0, max: 64 }),
    'for types 1, 2 and 4: addresses and slots that it uses',
  ),
  delegate_to: optional(
    CONTRACT_OR_ADDRESS,
    'for type 4: the contract, by name or address, whose code the authorizing accounts adopt. Each transaction ' +
      'has accounts of its own for that, which do nothing else',
  ),
  authorizations: optional(
    integer({ min: 1, max: 64 }),
    'for type 4: the number of authorizations in a transaction; default 1',
  ),
  send: optional(
    oneOf(SEND_WAYS),
    'the way to send: `raw` eth_sendRawTransaction (the default), `sync` eth_sendRawTransactionSync (EIP-7966), `conditional` ' +
      'eth_sendRawTransactionConditional, `express_lane` timeboost_sendExpressLaneTransaction',
  ),
  sync_timeout_ms: optional(
    integer({ min: 1, max: 3_600_000 }),
    'for `sync`: how long the target waits for the block; default: its own',
  ),
  conditions: optional(CONDITIONS, 'for `conditional` and `express_lane`: what must hold in the block'),
} as const;

export const TIMEBOOST = object({
  auction_contract: required(
    ADDRESS,
    'the address of the auction contract, which has the times of the rounds',
  ),
  controller_key_env: optional(
    VARIABLE,
    'variable of each edge that holds the key of the controller of the express lane; without it the third ' +
      'well-known development account, on development chains only',
  ),
  sequence: withDefault(
    oneOf(['ordered', 'any']),
    'ordered',
    '`ordered`: numbers 0, 1, … in each round, which the target must follow; `any`: the number that asks for no ' +
      'order. Runs of several edges use `any`: a round has one row of numbers',
  ),
});
