import { fromHex, keccak256, toHex } from '#load/chain';
import { DomainError, Resources } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { FaultInjector, type FaultName, type FaultPlan } from '../fault-plan.ts';
import { FaultyFeed } from '../feed/faulty-feed.ts';
import { FeedServer } from '../feed/feed-server.ts';
import type { RpcCall } from '../rpc/rpc-call.ts';
import { type Mishap, RpcServer } from '../rpc/rpc-server.ts';
import type { SequencerNode } from '../sequencer-node.ts';
import type { SequencerSettings } from '../settings.ts';
import type { ExpressLaneRules } from './express-lane.ts';
import { SimMethods } from './sim-methods.ts';
import { SimSequencer } from './sim-sequencer.ts';

const INIT_MESSAGE_KIND = 11;

const MISHAPS = [
  ['http_429_every', 'rate_limited'],
  ['hang_every', 'hangs'],
  ['reset_every', 'reset'],
] as const satisfies readonly (readonly [FaultName, Mishap])[];

/** Starts the simulated chain with the enabled faults. */
export function startSim(settings: SequencerSettings, plan: FaultPlan, log: Log): Promise<SequencerNode> {
  const parts = new Resources();
  return parts.closingOnFailure(() => openSim(settings, new FaultInjector(plan, log), parts));
}

async function openSim(
  settings: SequencerSettings,
  faults: FaultInjector,
  parts: Resources,
): Promise<SequencerNode> {
  const { chainId, blockMs, host } = settings;
  const isHeaderWrong = faults.valueOf('wrong_chain_header') !== undefined;
  const server = new FeedServer({ chainId: isHeaderWrong ? chainId + 1 : chainId, signedChainId: chainId });
  const feedPort = await server.listen(settings.feedPort, host);
  parts.add(() => server.close());
  const feed = new FaultyFeed(server, faults);
  parts.add(() => feed.close());
  const timeboost = expressLaneRules(settings);
  const sim = new SimSequencer({ chainId, blockMs, feed, faults, timeboost });
  parts.add(() => sim.close());
  announceGenesis(server, sim);
  const methods = new SimMethods(sim);
  const rpc = new RpcServer({
    call: (call, socket) => methods.call(call, socket),
    mishapOf: (call) => mishapOf(call, faults),
  });
  const rpcPort = await rpc.listen(settings.rpcPort, host);
  parts.add(() => rpc.close());
  return { rpcPort, feedPort, failure: rpc.failure, close: () => parts.close() };
}

/** The advantage of the express lane on Arbitrum One. */
const ADVANTAGE_MS = 200;
const MS_PER_S = 1_000;

/** Undefined without a controller. */
function expressLaneRules({
  timeboostController: controller,
  timeboostRoundS: roundS,
}: SequencerSettings): ExpressLaneRules | undefined {
  if (controller === '') return undefined;
  if (/^0x[0-9a-fA-F]{40}$/.test(controller)) {
    return { controller: fromHex(controller), roundMs: roundS * MS_PER_S, advantageMs: ADVANTAGE_MS };
  }
  throw new DomainError('INVALID_CONFIG', '--timeboost-controller: expected an address');
}

/** Message 0 is block 0. */
function announceGenesis(server: FeedServer, sim: SimSequencer): void {
  const { number, timestamp } = sim.blocks.latest.header;
  server.publish({
    sequenceNumber: number,
    kind: INIT_MESSAGE_KIND,
    timestamp,
    parentBlockNumber: 0,
    l2Msg: new Uint8Array(0),
    blockHash: null,
  });
}

/** Counts requests that send a transaction, except those of a batch. */
function mishapOf({ method, params }: RpcCall, faults: FaultInjector): Mishap | undefined {
  if (!method.startsWith('eth_sendRawTransaction')) return undefined;
  const due = MISHAPS.find(([name]) => faults.isDue(name));
  if (due === undefined) return undefined;
  const [name, mishap] = due;
  const [raw] = params;
  const bytes = Buffer.from(typeof raw === 'string' ? raw.slice(2) : '', 'hex');
  faults.report(name, { hash: toHex(keccak256(bytes)) });
  return mishap;
}
