import type { FaultPlan } from '../../src/fault-plan.ts';
import type { SequencerNode } from '../../src/sequencer-node.ts';
import type { SequencerSettings } from '../../src/settings.ts';
import { startSim } from '../../src/sim/start-sim.ts';
import { FeedReader } from './feed-reader.ts';
import { type LogLines, logLines } from './log-lines.ts';
import { RpcClient } from './rpc-client.ts';

export const SETTINGS: SequencerSettings = {
  mode: 'sim',
  host: '127.0.0.1',
  rpcPort: 0,
  feedPort: 0,
  chainId: 412_346,
  blockMs: 20,
  logFormat: 'json',
  logLevel: 'silent',
  timeboostController: '',
  timeboostRoundS: 60,
};

/** A simulated chain on free ports, with a reader of its feed. */
export class RunningSim {
  readonly node: SequencerNode;
  readonly rpc: RpcClient;
  readonly feed: FeedReader;
  readonly log: LogLines;

  private constructor(node: SequencerNode, feed: FeedReader, log: LogLines) {
    this.node = node;
    this.rpc = new RpcClient(node.rpcPort);
    this.feed = feed;
    this.log = log;
  }

  static async start(faults: FaultPlan = {}, settings: Partial<SequencerSettings> = {}): Promise<RunningSim> {
    const log = logLines();
    const node = await startSim({ ...SETTINGS, ...settings }, faults, log);
    const feed = await FeedReader.open(node.feedPort);
    await feed.until(({ messages }) => messages.length > 0);
    return new RunningSim(node, feed, log);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.feed.close();
    await this.node.close();
  }
}
