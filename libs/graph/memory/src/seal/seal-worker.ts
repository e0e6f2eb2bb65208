/** The entry point of the sealing thread. */
import { serveThread } from '#platform/threads';
import { buildBase } from './build-base.ts';
import type { SealCalls } from './run-seal.ts';

serveThread<SealCalls>(() => ({ calls: { seal: buildBase } }));
