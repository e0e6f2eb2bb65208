/** The methods that send: plain, synchronous (EIP-7966), conditional, and by the express lane. */
import type { Socket } from 'node:net';
import { fromHex, fromQuantity, keccak256, toHex, toQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { Params } from '../rpc/params.ts';
import { RPC_CODE, RpcFault } from '../rpc/rpc-fault.ts';
import type { JsonText } from '../rpc/rpc-server.ts';
import { type Conditions, conditionsOf } from './conditions.ts';
import { AUCTION_CONTRACT, type ExpressLane, type LaneRequest } from './express-lane.ts';
import type { SimRefusal } from './refusal.ts';
import { receiptJson } from './rpc-json.ts';
import type { SimSequencer } from './sim-sequencer.ts';

type Method = (params: Params, socket: Socket) => Promise<JsonText>;

const SYNC_MS = 2_000;
const SYNC_MS_MAX = 60_000;
const MS_PER_S = 1_000;
const U64_END = 2n ** 64n;
const WORD_DIGITS = 64;
/** Selectors of the views of the auction contract. */
const ROUND_TIMING = '0x0152682d';
const RESOLVED_ROUNDS = '0x0d253fbe';
/** What the rules of an auction require at least. */
const AUCTION_CLOSING_S = 15;
const RESERVE_SUBMISSION_S = 15;

export function sendingMethods(sim: SimSequencer): Readonly<Record<string, Method>> {
  return {
    eth_sendRawTransaction: (params, socket) => send(sim, params, socket),
    eth_sendRawTransactionConditional: (params, socket) =>
      send(sim, params, socket, conditionsOf(params.has(1) ? params.value(1) : undefined, 1)),
    eth_sendRawTransactionSync: (params, socket) => sendSync(sim, params, socket),
    timeboost_sendExpressLaneTransaction: (params) => sendByLane(sim, params),
  };
}

/**
 * Resolves when the transaction is sequenced, rejects when refused; never if the caller disconnects first.
 */
function send(sim: SimSequencer, params: Params, socket: Socket, conditions?: Conditions): Promise<JsonText> {
  const raw = params.bytes(0);
  return new Promise((resolve, reject) => {
    sim.submit(raw, { isAbandoned: () => socket.destroyed, conditions }, (refusal) => {
      if (refusal === undefined) resolve(`"${toHex(keccak256(raw))}"`);
      else reject(faultOf(refusal));
    });
  });
}

/** Resolves with the receipt. After the time-out, the transaction stays in the queue. */
function sendSync(sim: SimSequencer, params: Params, socket: Socket): Promise<JsonText> {
  const raw = params.bytes(0);
  const hash = keccak256(raw);
  const timeoutMs = syncTimeout(params.has(1) ? params.value(1) : undefined);
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const message = `The transaction was added to the transaction pool but wasn't processed in ${timeoutMs / MS_PER_S}s`;
      reject(new RpcFault(RPC_CODE.syncTimeout, message, toHex(hash)));
    }, timeoutMs);
    const isAbandoned = (): boolean => !isLate && socket.destroyed;
    sim.submit(raw, { isAbandoned }, (refusal) => {
      clearTimeout(timer);
      if (refusal === undefined) resolve(sim.syncReceipt(hash, receiptJson));
      else reject(faultOf(refusal));
    });
  });
}

/** Invalid ones are replaced by the default, as the EIP says. */
function syncTimeout(value: unknown): number {
  const ms = Number(value);
  return Number.isSafeInteger(ms) && ms > 0 ? Math.min(ms, SYNC_MS_MAX) : SYNC_MS;
}

/** Resolves when the lane has taken the transaction, with null. */
function sendByLane(sim: SimSequencer, params: Params): Promise<JsonText> {
  const request = laneRequest(params);
  return new Promise((resolve, reject) => {
    sim.submitToLane(request, (refusal) => {
      if (refusal === undefined) resolve('null');
      else reject(faultOf(refusal));
    });
  });
}

function laneRequest(params: Params): LaneRequest {
  const submission = params.object(0);
  const bytes = (name: string): Uint8Array =>
    read(name, () => fromHex(typeof submission[name] === 'string' ? submission[name] : ''));
  const number = (name: string): bigint => read(name, () => fromQuantity(submission[name]));
  const sequence = number('sequenceNumber');
  const round = number('round');
  if (sequence >= U64_END || round >= U64_END) throw invalid('round or sequenceNumber');
  return {
    chainId: Number(number('chainId')),
    round: Number(round),
    sequence,
    auctionContract: bytes('auctionContractAddress'),
    raw: bytes('transaction'),
    signature: bytes('signature'),
    conditions: conditionsOf(submission['options'], 0),
  };
}

function read<T>(name: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw invalid(name);
  }
}

function invalid(name: string): RpcFault {
  return new RpcFault(RPC_CODE.invalidParams, `invalid argument 0: ${name}`);
}

function faultOf({ message, code = RPC_CODE.refused }: SimRefusal): RpcFault {
  return new RpcFault(code, message);
}

/** The answer of the auction contract to a call; undefined for another contract or function. */
export function auctionView(
  lane: ExpressLane | undefined,
  to: Uint8Array | null,
  data: Uint8Array,
): string | undefined {
  if (lane === undefined || to === null || toHex(to) !== AUCTION_CONTRACT) return undefined;
  const { rules, round, offsetSeconds } = lane;
  const selector = toHex(data.subarray(0, 4));
  if (selector === ROUND_TIMING) {
    return words([offsetSeconds, rules.roundMs / MS_PER_S, AUCTION_CLOSING_S, RESERVE_SUBMISSION_S]);
  }
  const controller = BigInt(toHex(rules.controller));
  return selector === RESOLVED_ROUNDS ? words([controller, round, controller, round - 1]) : undefined;
}

function words(values: readonly (number | bigint)[]): string {
  return `0x${values.map((value) => toQuantity(value).slice(2).padStart(WORD_DIGITS, '0')).join('')}`;
}
