import { randomBytes } from 'node:crypto';
import { type AccessListEntry, fromHex, type TransactionType } from '#load/chain';
import type { MixEntry, TransactionKind } from '../plan/edge-plan.ts';
import type { ContractSetup } from '../plan/contract-setup.ts';
import { type ConditionPlan, PLAIN_SENDING, type SendingPlan, type SendWay } from '../plan/sending-plan.ts';
import type { FailureClass } from '../rpc/failure-class.ts';
import type { Delegation } from './authorization.ts';
import {
  addressOfContract,
  CallEncoder,
  type CallTemplate,
  callTemplate,
  scrambled,
  type TransactionPlace,
} from './contract-call.ts';
import { type RequestForm, requestForm } from './request-form.ts';

/** Made of load-token.sol by tools/compile-load-token.mjs with solc@0.8.30. */
const CODE = [
  '6080604052348015600f57600080fd5b506105f78061001f6000396000f3fe608060405234801561001057600080fd5b5060',
  '0436106100a35760003560e01c8063313ce5671161007657806395d89b411161005b57806395d89b41146101c3578063a905',
  '9cbb146101ff578063dd62ed3e1461021257600080fd5b8063313ce5671461016057806370a082311461017a57600080fd5b',
  '806306fdde03146100a8578063095ea7b3146100fa57806318160ddd1461011d57806323b872dd1461014d575b600080fd5b',
  '6100e46040518060400160405280601181526020017f506c65787573206c6f616420746f6b656e0000000000000000000000',
  '0000000081525081565b6040516100f1919061046c565b60405180910390f35b61010d610108366004610501565b61023d56',
  '5b60405190151581526020016100f1565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '5b6040519081526020016100f1565b61010d61015b36600461052b565b6102b7565b610168601281565b60405160ff909116',
  '81526020016100f1565b61013f610188366004610568565b73ffffffffffffffffffffffffffffffffffffffff1660009081',
  '52602081905260409020547001000000000000000000000000000000000190565b6100e46040518060400160405280600481',
  '526020017f4c4f41440000000000000000000000000000000000000000000000000000000081525081565b61010d61020d36',
  '6004610501565b610314565b61013f61022036600461058a565b600160209081526000928352604080842090915290825290',
  '205481565b33600081815260016020908152604080832073ffffffffffffffffffffffffffffffffffffffff871680855292',
  '5280832085905551919290917f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925906102a590',
  '86815260200190565b60405180910390a35060015b92915050565b73ffffffffffffffffffffffffffffffffffffffff8316',
  '60009081526001602090815260408083203384529091528120805483919083906102f99084906105bd565b9091555061030a',
  '905084848461032a565b5060019392505050565b600061032133848461032a565b50600192915050565b73ffffffffffffff',
  'ffffffffffffffffffffffffff82161580159061038d57508061038a8473ffffffffffffffffffffffffffffffffffffffff',
  '166000908152602081905260409020547001000000000000000000000000000000000190565b10155b6103f7576040517f08',
  'c379a000000000000000000000000000000000000000000000000000000000815260206004820181905260248201527f4c4f',
  '41443a206e6f2072656365697665722c206f7220746f6f206c6974746c65604482015260640160405180910390fd5b73ffff',
  'ffffffffffffffffffffffffffffffffffff8381166000818152602081815260408083208054879003905593861680835291',
  '849020805486019055925184815290927fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef91',
  '0160405180910390a3505050565b602081526000825180602084015260005b8181101561049a576020818601810151604086',
  '840101520161047d565b5060006040828501015260407fffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'ffffffffe0601f83011684010191505092915050565b803573ffffffffffffffffffffffffffffffffffffffff8116811461',
  '04fc57600080fd5b919050565b6000806040838503121561051457600080fd5b61051d836104d8565b946020939093013593',
  '505050565b60008060006060848603121561054057600080fd5b610549846104d8565b9250610557602085016104d8565b92',
  '9592945050506040919091013590565b60006020828403121561057a57600080fd5b610583826104d8565b9392505050565b',
  '6000806040838503121561059d57600080fd5b6105a6836104d8565b91506105b4602084016104d8565b9050925092905056',
  '5b818103818111156102b1577f4e487b71000000000000000000000000000000000000000000000000000000006000526011',
  '60045260246000fd',
];

/** The init code of the token. */
const LOAD_TOKEN_CODE: Uint8Array = Buffer.from(CODE.join(''), 'hex');

/** What all transactions of one entry of the mix have in common. Can be posted to a thread. */
export interface Blueprint {
  readonly kind: TransactionKind;
  /** The failure class that the entry expects. */
  readonly expect: FailureClass | null;
  /** The next account of the partition, an address, or none: a contract creation. */
  readonly receiver: 'ring' | Uint8Array | null;
  /** The receiver gets units of this token instead of wei. */
  readonly token: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Number of pseudo-random bytes after the data. */
  readonly fillBytes: number;
  readonly gasLimit: bigint;
  /** How the data is made; null for all other kinds. */
  readonly call: CallTemplate | null;
  readonly sending: Sending;
}

/** The type and the lists of the transactions, and how they are handed to the target. */
export interface Sending {
  readonly type: TransactionType;
  readonly accessList: readonly AccessListEntry[];
  /** Of type 4. */
  readonly delegation: Delegation | null;
  readonly way: SendWay;
  readonly conditions: ConditionPlan | null;
  readonly form: RequestForm;
}

/** What the blueprints of a run need of its setup. */
export interface BlueprintFacts {
  /** That of the edge; only entries of the kind `erc20_transfer` need it. */
  readonly token: Uint8Array | null;
  readonly setup: ContractSetup;
  /** Accounts of the whole run. */
  readonly accounts: number;
}

/** The receiver and the payload. */
export interface Payload {
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
}

const CALLDATA_BYTES_DEFAULT = 1_024;
const TRANSFER_SELECTOR = fromHex('0xa9059cbb');
const WORD_BYTES = 32;
const NOTHING = new Uint8Array(0);
/** Init code of a contract of one byte, STOP. Bytes after it are ignored. */
const SMALLEST_CONTRACT = fromHex('0x6001600c60003960016000f300');

/** Throws INVALID_REQUEST if the setup lacks what a call needs. */
export function blueprintOf(entry: MixEntry, { token, setup, accounts }: BlueprintFacts): Blueprint {
  const { kind, to = 'ring', valueWei = '1', bytes, expect = null, call } = entry;
  const receiver = to === 'ring' ? 'ring' : fromHex(to);
  const sending = sendingOf(entry.sending ?? PLAIN_SENDING, setup);
  const plain: Blueprint = {
    kind,
    expect,
    receiver,
    token: null,
    value: 0n,
    data: NOTHING,
    fillBytes: 0,
    gasLimit: 0n,
    call: null,
    sending,
  };
  if (call !== undefined) {
    const receiverOfCall = fromHex(addressOfContract(setup, call.contract));
    const template = callTemplate(call, setup, accounts);
    return { ...plain, receiver: receiverOfCall, value: BigInt(entry.valueWei ?? '0'), call: template };
  }
  switch (kind) {
    case 'transfer':
      return { ...plain, value: BigInt(valueWei) };
    case 'erc20_transfer':
      return { ...plain, token, value: BigInt(valueWei) };
    case 'deploy':
      return { ...plain, receiver: null, data: SMALLEST_CONTRACT, fillBytes: bytes ?? 0 };
    case 'calldata':
      return { ...plain, fillBytes: bytes ?? CALLDATA_BYTES_DEFAULT };
    case 'call':
    case 'invalid_nonce':
      return plain;
  }
}

function sendingOf(plan: SendingPlan, setup: ContractSetup): Sending {
  const { type, accessList, delegation, way, conditions = null } = plan;
  const addressOf = (text: string): Uint8Array =>
    fromHex(text.startsWith('0x') ? text : addressOfContract(setup, text));
  return {
    type,
    way,
    conditions,
    accessList: accessList.map(({ address, storageKeys }) => ({
      address: addressOf(address),
      storageKeys: storageKeys.map(fromHex),
    })),
    delegation: delegation === undefined ? null : { to: addressOf(delegation.to), count: delegation.count },
    form: requestForm(plan),
  };
}

/**
 * Creates the token for {@link blueprintOf}. Each creation is different: equal bytes with one nonce are one
 * contract on a chain, so two runs that deploy from one account at the same time would share it, and report
 * the other's transactions as faults of the target. The code ignores the bytes after it.
 */
export function tokenCreation(): Payload {
  return { to: null, value: 0n, data: Buffer.concat([LOAD_TOKEN_CODE, randomBytes(WORD_BYTES)]) };
}

/** The payload of a transaction. Throws INVALID_REQUEST for computed arguments that do not fit. */
export function payloadOf(blueprint: Blueprint, place: TransactionPlace): Payload {
  const { receiver, token, value, data, fillBytes, call } = blueprint;
  const { book, position, nonce } = place;
  const to = receiver === 'ring' ? book.next(position) : receiver;
  if (token !== null && to !== null) return { to: token, value: 0n, data: tokenTransfer(to, value) };
  if (call !== null) return { to, value, data: encoderOf(call).dataFor(place) };
  const seed = Math.imul(position, 65_537) ^ nonce;
  return { to, value, data: fillBytes === 0 ? data : filled(data, fillBytes, seed) };
}

const encoders = new WeakMap<CallTemplate, CallEncoder>();

/** Each thread builds the encoder of a template once. */
function encoderOf(call: CallTemplate): CallEncoder {
  const known = encoders.get(call);
  if (known !== undefined) return known;
  const made = new CallEncoder(call);
  encoders.set(call, made);
  return made;
}

function tokenTransfer(receiver: Uint8Array, units: bigint): Uint8Array {
  const data = new Uint8Array(TRANSFER_SELECTOR.length + 2 * WORD_BYTES);
  data.set(TRANSFER_SELECTOR);
  data.set(receiver, TRANSFER_SELECTOR.length + WORD_BYTES - receiver.length);
  data.set(Buffer.from(units.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex'), data.length - WORD_BYTES);
  return data;
}

/** Marsaglia's xorshift: cheap, and too irregular to be compressed. */
function filled(data: Uint8Array, fillBytes: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(data.length + fillBytes);
  bytes.set(data);
  let word = (seed ^ 0x9e3779b9) | 1;
  for (let at = data.length; at < bytes.length; at++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    bytes[at] = word;
  }
  return bytes;
}

/**
 * Chooses the entry of the mix for an account's n-th transaction: by weight, from a seed, and independent of
 * the order of events.
 */
export class Mix {
  readonly #bounds: readonly number[];
  readonly #seed: number;

  constructor(entries: readonly MixEntry[], seed: number) {
    const total = entries.reduce((sum, { weight }) => sum + weight, 0);
    let sum = 0;
    this.#bounds = entries.map(({ weight }) => (sum += weight) / total);
    this.#seed = seed;
  }

  /** The entry's position. */
  entryOf(account: number, drawn: number): number {
    const fraction = scrambled(this.#seed ^ scrambled(account ^ scrambled(drawn))) / 2 ** 32;
    const entry = this.#bounds.findIndex((bound) => fraction < bound);
    return entry < 0 ? this.#bounds.length - 1 : entry;
  }
}
