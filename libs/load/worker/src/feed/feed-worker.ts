/**
 * The feed thread: records a message's time of arrival independent of the load of the main thread, and
 * computes its hashes.
 */
import { MicroClock } from '#platform/foundation';
import { serveThread } from '#platform/threads';
import { FeedClient } from './feed-client.ts';
import type { FeedListener } from './feed-event.ts';
import type { FeedCalls, FeedSetup } from './feed-thread.ts';

serveThread<FeedCalls, FeedListener>((setup, parent) => {
  const { epochUs, ...options } = setup as FeedSetup;
  const listener: FeedListener = {
    onMessages: (events) => {
      const memory = events.map(({ hashes }) => hashes.buffer as ArrayBuffer);
      parent.emit('onMessages', [events], memory);
    },
    onConnected: () => {
      parent.emit('onConnected', []);
    },
    onDisconnected: (reason) => {
      parent.emit('onDisconnected', [reason]);
    },
    onRefused: (refusal, message) => {
      parent.emit('onRefused', [refusal, message]);
    },
    onConfirmedAhead: (confirmed, last) => {
      parent.emit('onConfirmedAhead', [confirmed, last]);
    },
    onGarbage: (message) => {
      parent.emit('onGarbage', [message]);
    },
  };
  const client = new FeedClient({ ...options, listener, clock: new MicroClock(epochUs) });
  return {
    calls: {
      dial: () => {
        client.open();
      },
    },
    close: () => {
      client.close();
    },
  };
});
