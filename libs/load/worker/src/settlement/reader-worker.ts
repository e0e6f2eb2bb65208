/** A thread that reads receipts: parsing megabytes of JSON must not delay a send. */
import { toHex } from '#load/chain';
import { MicroClock } from '#platform/foundation';
import { serveThread } from '#platform/threads';
import { AddressBook } from '../plan/account-keys.ts';
import { JsonRpc } from '../rpc/json-rpc.ts';
import { BlockReader } from './block-reader.ts';
import { ReceiptReader } from './block-receipts.ts';
import type { BlockEvents, ReaderCalls, ReaderSetup } from './reader-thread.ts';

/** The reader itself repeats what fails for longer. */
const PATIENCE_MS = 2_000;

serveThread<ReaderCalls, BlockEvents>((setup, parent) => {
  const { url, headers, timeoutMs, epochUs, start, addresses, alarm } = setup as ReaderSetup;
  const book = new AddressBook(0, addresses);
  const positions = new Map(Array.from({ length: book.count }, (_, at) => [toHex(book.at(at)), at]));
  const rpc = new JsonRpc({ url, headers, timeoutMs, connections: 8, patienceMs: PATIENCE_MS });
  const reader = new BlockReader({
    rpc,
    receipts: new ReceiptReader(positions, alarm),
    clock: new MicroClock(epochUs),
    start,
    listener: {
      onBlock: (block) => {
        parent.emit('onBlock', [block]);
      },
      onReplaced: (blockNumber) => {
        parent.emit('onReplaced', [blockNumber]);
      },
      onDeep: (blockNumber) => {
        parent.emit('onDeep', [blockNumber]);
      },
      onUnread: (blockNumber, message) => {
        parent.emit('onUnread', [blockNumber, message]);
      },
      onFallback: ({ message }) => {
        parent.emit('onFallback', [message]);
      },
      onTrouble: ({ message }) => {
        parent.emit('onTrouble', [message]);
      },
    },
  });
  reader.open();
  return {
    calls: {
      hurry: () => {
        reader.hurry();
      },
    },
    close: () => {
      reader.close();
      return rpc.close();
    },
  };
});
