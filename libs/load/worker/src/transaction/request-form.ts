/**
 * The JSON-RPC requests of the ways to send. The signing threads write the beginning with the signed
 * transaction; what depends on the moment of sending is added then.
 *
 *   raw           {…,"method":"eth_sendRawTransaction","params":["0x…"]}
 *   sync          {…,"method":"eth_sendRawTransactionSync","params":["0x…",5000]}          (EIP-7966)
 *   conditional   {…,"method":"eth_sendRawTransactionConditional","params":["0x…",{"timestampMax":"0x…"}]}
 *   express lane  {…,"method":"timeboost_sendExpressLaneTransaction","params":[{"transaction":"0x…", …}]}
 */
import { toQuantity } from '#load/chain';
import type { ConditionPlan, SendingPlan, SendWay } from '../plan/sending-plan.ts';

/** The text around the signed transaction, after the id of the request. Can be posted to a thread. */
export interface RequestForm {
  readonly before: string;
  /** Null: {@link conditionsText} or the express lane makes it at the sending. */
  readonly after: string | null;
}

const METHODS: Readonly<Record<SendWay, string>> = {
  raw: 'eth_sendRawTransaction',
  sync: 'eth_sendRawTransactionSync',
  conditional: 'eth_sendRawTransactionConditional',
  express_lane: 'timeboost_sendExpressLaneTransaction',
};
const S_PER_MS = 0.001;

export function requestForm(sending: SendingPlan): RequestForm {
  const opening = sending.way === 'express_lane' ? '{"transaction":"' : '"';
  return { before: `,"method":"${METHODS[sending.way]}","params":[${opening}`, after: fixedEnd(sending) };
}

function fixedEnd({ way, timeoutMs, conditions }: SendingPlan): string | null {
  if (way === 'raw' || (way === 'sync' && timeoutMs === undefined)) return '"]}';
  if (way === 'sync') return `",${timeoutMs}]}`;
  const isFixed = way === 'conditional' && conditions !== undefined && !isRelative(conditions);
  return isFixed ? conditionalEnd(conditions, 0) : null;
}

/** The end of a conditional request that is sent at this time. */
export function conditionalEnd(conditions: ConditionPlan, nowMs: number): string {
  return `",${conditionsText(conditions, nowMs)}]}`;
}

/** The conditions as Nitro reads them. */
export function conditionsText(conditions: ConditionPlan, nowMs: number): string {
  const { blockNumberMin, blockNumberMax, timestampMin, timestampMax, knownAccounts } = conditions;
  const bounds = {
    blockNumberMin,
    blockNumberMax,
    timestampMin: secondsOf(timestampMin, nowMs),
    timestampMax: secondsOf(timestampMax, nowMs),
  };
  const given = Object.entries(bounds).flatMap(([name, bound]) =>
    bound === undefined ? [] : [[name, toQuantity(bound)] as const],
  );
  return JSON.stringify({ knownAccounts, ...Object.fromEntries(given) });
}

/** A bound of a block's time for a transaction that is sent at `nowMs`. */
export function secondsOf(bound: number | string | undefined, nowMs: number): number | undefined {
  if (typeof bound !== 'string') return bound;
  return Math.max(0, Math.floor(nowMs * S_PER_MS) + Number(bound.slice(0, -1)));
}

function isRelative({ timestampMin, timestampMax }: ConditionPlan): boolean {
  return typeof timestampMin === 'string' || typeof timestampMax === 'string';
}
