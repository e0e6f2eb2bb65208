/**
 * The conditions of eth_sendRawTransactionConditional, as in Nitro: against the head when a transaction
 * comes, and against its block when it is sequenced. Block numbers are those of the parent chain. Accounts of
 * this chain have no storage.
 */
import { fromHex, toHex } from '#load/chain';
import { DomainError } from '#platform/foundation';
import { RPC_CODE, RpcFault } from '../rpc/rpc-fault.ts';
import { parentBlockNumber } from './parent-chain.ts';
import type { SimRefusal } from './refusal.ts';

export interface Conditions {
  readonly blockNumberMin: number | undefined;
  readonly blockNumberMax: number | undefined;
  readonly timestampMin: number | undefined;
  readonly timestampMax: number | undefined;
  /** A storage root or the value of a slot, in hexadecimal. */
  readonly roots: readonly string[];
  readonly slotValues: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** The root of an empty trie. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const EMPTY_SLOT = `0x${'0'.repeat(64)}`;
const WORD_BYTES = 32;
const NUMBER = /^(?:0x[0-9a-fA-F]{1,16}|\d{1,20})$/;

/** Undefined without conditions. Throws an RpcFault for malformed ones. */
export function conditionsOf(value: unknown, index: number): Conditions | undefined {
  if (value === undefined || value === null) return undefined;
  const members = membersOf(value, index);
  const number = (name: string): number | undefined =>
    numberOf(members[name], `${name} of argument ${index}`);
  const accounts = Object.values(membersOf(members['knownAccounts'] ?? {}, index));
  const roots = accounts.filter((one): one is string => typeof one === 'string');
  const slots = accounts.filter((one) => typeof one !== 'string').map((one) => membersOf(one, index));
  return {
    blockNumberMin: number('blockNumberMin'),
    blockNumberMax: number('blockNumberMax'),
    timestampMin: number('timestampMin'),
    timestampMax: number('timestampMax'),
    roots: roots.map((root) => wordOf(root, index)),
    slotValues: slots.flatMap((table) => Object.values(table).map((one) => wordOf(one, index))),
  };
}

/** The first condition that does not hold in a block of this time. */
export function conditionRefusal(conditions: Conditions, timestamp: number): SimRefusal | undefined {
  const { blockNumberMin, blockNumberMax, timestampMin, timestampMax, roots, slotValues } = conditions;
  const number = parentBlockNumber(timestamp);
  const rules: readonly (readonly [boolean, string])[] = [
    [number >= (blockNumberMin ?? -Infinity), 'BlockNumberMin condition not met'],
    [number <= (blockNumberMax ?? Infinity), 'BlockNumberMax condition not met'],
    [timestamp >= (timestampMin ?? -Infinity), 'TimestampMin condition not met'],
    [timestamp <= (timestampMax ?? Infinity), 'TimestampMax condition not met'],
    [roots.every((root) => root === EMPTY_ROOT), 'Storage root hash condition not met'],
    [slotValues.every((value) => value === EMPTY_SLOT), 'Storage slot value condition not met'],
  ];
  const [, message] = rules.find(([holds]) => !holds) ?? [];
  return message === undefined ? undefined : { message, code: RPC_CODE.transactionRejected };
}

function membersOf(value: unknown, index: number): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new RpcFault(RPC_CODE.invalidParams, `invalid argument ${index}: expected an object`);
}

/** In hexadecimal or decimal digits, or a number, as in geth. */
function numberOf(value: unknown, what: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const isText = typeof value === 'string' && NUMBER.test(value);
  if (isText || (Number.isSafeInteger(value) && (value as number) >= 0)) return Number(value);
  throw new RpcFault(RPC_CODE.invalidParams, `invalid ${what}: expected a number`);
}

function wordOf(value: unknown, index: number): string {
  try {
    const bytes = fromHex(typeof value === 'string' ? value : '');
    if (bytes.length === WORD_BYTES) return toHex(bytes);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
  throw new RpcFault(RPC_CODE.invalidParams, `invalid argument ${index}: expected 32 bytes`);
}
