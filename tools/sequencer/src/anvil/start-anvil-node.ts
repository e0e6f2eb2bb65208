import type { Log } from '#observability';
import { FeedServer } from '../feed/feed-server.ts';
import type { SequencerNode } from '../sequencer-node.ts';
import type { SequencerSettings } from '../settings.ts';
import { AnvilClient } from './anvil-client.ts';
import { AnvilProcess } from './anvil-process.ts';
import { AnvilProxy } from './anvil-proxy.ts';
import { BlockFollower } from './block-follower.ts';
import { HeadSubscription } from './head-subscription.ts';
import { RawTransactions } from './raw-transactions.ts';

/** Starts anvil behind a JSON-RPC port of ours, and a feed of its blocks. */
export async function startAnvilNode(
  { chainId, blockMs, host, rpcPort, feedPort }: SequencerSettings,
  binary: string,
  log: Log,
): Promise<SequencerNode> {
  const anvil = await AnvilProcess.start({ binary, chainId, blockMs });
  const client = new AnvilClient(anvil.port);
  const raws = new RawTransactions(client);
  const feed = new FeedServer({ chainId });
  const proxy = new AnvilProxy(client, raws, log);
  const follower = new BlockFollower({ client, raws, feed, log });
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  const heads = await HeadSubscription.open(anvil.port, (number) => {
    follower.follow(number).catch(lost.reject);
  });
  return {
    rpcPort: await proxy.listen(rpcPort, host),
    feedPort: await feed.listen(feedPort, host),
    failure: Promise.race([anvil.failure, lost.promise]),
    close: async () => {
      heads.close();
      await Promise.all([proxy.close(), feed.close()]);
      await client.close();
      await anvil.close();
    },
  };
}
