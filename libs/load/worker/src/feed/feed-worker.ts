/**
 * A thread that reads the feed: a message's time is taken when it arrives, whatever the main thread is busy
 * with, and its hashes are computed here.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { MicroClock } from '#platform/foundation';
import { FeedClient } from './feed-client.ts';
import type { FeedListener } from './feed-event.ts';
import type { FeedNews, FeedSetup } from './feed-messages.ts';

const port = parentPort;
if (port !== null) {
  const { url, headers, chainId, epochUs, fromSequence, signer } = workerData as FeedSetup;
  const tell = (news: FeedNews, memory: ArrayBuffer[] = []): void => {
    port.postMessage(news, memory);
  };
  const listener: FeedListener = {
    onMessages: (events) => {
      tell(
        { kind: 'messages', events },
        events.map(({ hashes }) => hashes.buffer as ArrayBuffer),
      );
    },
    onConnected: () => {
      tell({ kind: 'connected' });
    },
    onDisconnected: (reason) => {
      tell({ kind: 'disconnected', reason });
    },
    onRefused: (refusal, message) => {
      tell({ kind: 'refused', refusal, message });
    },
    onGarbage: (message) => {
      tell({ kind: 'garbage', message });
    },
  };
  const clock = new MicroClock(epochUs);
  const client = new FeedClient({ url, headers, chainId, fromSequence, signer, listener, clock });
  port.once('message', () => {
    client.close();
    port.close();
  });
  tell({ kind: 'opening' });
  client.open();
}
