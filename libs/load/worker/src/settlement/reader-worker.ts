/** A thread that reads receipts: parsing megabytes of JSON must not delay a send. */
import { parentPort, workerData } from 'node:worker_threads';
import { toHex } from '#load/chain';
import { MicroClock } from '#platform/foundation';
import { AddressBook } from '../plan/account-keys.ts';
import { JsonRpc } from '../rpc/json-rpc.ts';
import { BlockReader } from './block-reader.ts';
import { ReceiptReader } from './block-receipts.ts';
import type { ReaderNews, ReaderSetup } from './reader-messages.ts';

const port = parentPort;
if (port !== null) {
  const { url, headers, timeoutMs, epochUs, start, addresses, alarm } = workerData as ReaderSetup;
  const book = new AddressBook(0, addresses);
  const positions = new Map(Array.from({ length: book.count }, (_, at) => [toHex(book.at(at)), at]));
  const tell = (news: ReaderNews): void => {
    port.postMessage(news);
  };
  const rpc = new JsonRpc({ url, headers, timeoutMs, connections: 8 });
  const reader = new BlockReader({
    rpc,
    receipts: new ReceiptReader(positions, alarm),
    clock: new MicroClock(epochUs),
    start,
    listener: {
      onBlock: (block) => {
        tell({ kind: 'block', block });
      },
      onReplaced: (blockNumber) => {
        tell({ kind: 'replaced', blockNumber });
      },
      onDeep: (blockNumber) => {
        tell({ kind: 'deep', blockNumber });
      },
      onUnread: (blockNumber, message) => {
        tell({ kind: 'unread', blockNumber, message });
      },
      onFallback: ({ message }) => {
        tell({ kind: 'fallback', message });
      },
      onTrouble: ({ failure, message }) => {
        tell({ kind: 'trouble', failure, message });
      },
    },
  });
  port.once('message', () => {
    reader.close();
    void rpc.close();
    port.close();
  });
  reader.open();
}
