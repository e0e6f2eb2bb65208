/** A thread that signs ahead. */
import { parentPort, workerData } from 'node:worker_threads';
import { CLOSE } from '../thread/end-thread.ts';
import { Signer } from './signer.ts';
import type { SignerMessage, SignerSetup } from './signing-order.ts';

const port = parentPort;
if (port !== null) {
  const signer = new Signer(workerData as SignerSetup);
  port.on('message', (message: SignerMessage | typeof CLOSE) => {
    if (message === CLOSE) {
      port.close();
      return;
    }
    const pages = signer.take(message);
    if (pages === undefined) return;
    const memory = [pages.bodies.buffer, pages.ends.buffer, pages.hashes.buffer] as ArrayBuffer[];
    port.postMessage(pages, memory);
  });
}
