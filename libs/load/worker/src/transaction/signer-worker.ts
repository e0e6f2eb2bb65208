/** The signing thread. */
import { Moved, serveThread } from '#platform/threads';
import { Signer } from './signer.ts';
import type { SignerSetup, SigningCalls } from './signing-order.ts';

serveThread<SigningCalls>((setup) => {
  const signer = new Signer(setup as SignerSetup);
  return {
    calls: {
      use: (blueprints, fees) => {
        signer.use(blueprints, fees);
      },
      sign: (columns, firstId) => {
        const pages = signer.sign(columns, firstId);
        const memory = [pages.bodies.buffer, pages.ends.buffer, pages.hashes.buffer] as ArrayBuffer[];
        return new Moved(pages, memory);
      },
    },
  };
});
