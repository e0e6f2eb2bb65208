/** The thread that seals. */
import { serveThread } from '#platform/threads';
import { buildBase } from './build-base.ts';
import type { SealCalls } from './run-seal.ts';

serveThread<SealCalls>(() => ({ calls: { seal: buildBase } }));
