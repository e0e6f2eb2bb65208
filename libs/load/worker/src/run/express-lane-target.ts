/** The express lane of a target: the key of its controller, and the rounds by the auction contract. */
import { fromHex, isPrivateKey, toHex } from '#load/chain';
import { DomainError, Secret } from '#platform/foundation';
import { DEVELOPMENT_CHAIN_IDS } from '../plan/account-keys.ts';
import { type EdgePlan, usesExpressLane } from '../plan/edge-plan.ts';
import type { Environment } from '../plan/target-headers.ts';
import { type JsonRpc, unexpected } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { ExpressLaneSender, type RoundTiming } from '../transaction/express-lane-sender.ts';

/** The third of anvil's well-known development accounts, 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC. */
const DEVELOPMENT_CONTROLLER = new Secret(
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
);
/** Selector of `roundTimingInfo()`. */
const ROUND_TIMING = '0x0152682d';
const WORD_DIGITS = 64;
const TIMING = /^0x(?:[0-9a-fA-F]{64}){2,8}$/;
const MS_PER_S = 1_000;
const SECONDS_MAX = 2 ** 40;

/** Throws PLAN_REFUSED if the key is missing or malformed; undefined if the plan does not use the lane. */
export function controllerKeyOf(plan: EdgePlan, environment: Environment): Secret | undefined {
  const { expressLane, chainId } = plan;
  if (expressLane === undefined || !usesExpressLane(plan)) return undefined;
  const { controllerKeyEnv: name } = expressLane;
  if (name === undefined) {
    if (DEVELOPMENT_CHAIN_IDS.has(chainId)) return DEVELOPMENT_CONTROLLER;
    throw refused('plan_invalid', 'the development controller is public: expected a development chain');
  }
  const text = environment[name] ?? '';
  const key = text.startsWith('0x') ? text : `0x${text}`;
  if (/^0x[0-9a-fA-F]{64}$/.test(key) && isPrivateKey(fromHex(key))) return new Secret(key);
  const message = `expected the key of the express lane's controller in the variable ${name} of this edge`;
  throw refused('controller_key_missing', message);
}

/** Reads the times of the rounds. Throws PLAN_REFUSED if the target has none, or RPC_FAILED. */
export async function openExpressLane(
  rpc: JsonRpc,
  { chainId, expressLane }: Pick<EdgePlan, 'chainId' | 'expressLane'>,
  controllerKey: Secret | undefined,
): Promise<ExpressLaneSender | undefined> {
  if (expressLane === undefined || controllerKey === undefined) return undefined;
  const auctionContract = fromHex(expressLane.auctionContract);
  const timing = await timingOf(rpc, toHex(auctionContract));
  const { sequence } = expressLane;
  return new ExpressLaneSender({ chainId, auctionContract, controllerKey, timing, sequence });
}

async function timingOf(rpc: JsonRpc, contract: string): Promise<RoundTiming> {
  try {
    return await rpc.call('eth_call', [{ to: contract, data: ROUND_TIMING }, 'latest'], readTiming);
  } catch (error) {
    if (!(error instanceof RpcFailure) || error.failure === 'rpc_unreachable') throw error;
    const message = `expected the times of the rounds from the auction contract ${contract}: ${error.message}`;
    throw refused('express_lane_unavailable', message);
  }
}

/** The offset and the duration of rounds in seconds; two more words are of the auction. */
function readTiming(result: unknown): RoundTiming {
  if (typeof result !== 'string' || !TIMING.test(result)) throw unexpected('the times of rounds', result);
  const word = (at: number): number => {
    const from = 2 + at * WORD_DIGITS;
    return Number(BigInt(`0x${result.slice(from, from + WORD_DIGITS)}`));
  };
  const [offset, seconds] = [word(0), word(1)];
  if (offset > SECONDS_MAX || seconds < 1 || seconds > SECONDS_MAX) {
    throw unexpected('an offset and a duration in seconds', result);
  }
  return { offsetMs: offset * MS_PER_S, roundMs: seconds * MS_PER_S };
}

function refused(
  reason: 'plan_invalid' | 'controller_key_missing' | 'express_lane_unavailable',
  message: string,
): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason } });
}
