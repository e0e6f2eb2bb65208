/** A module that waits as it is loaded, as those with WebAssembly do; who imports it runs after it. */
import { pause } from '#platform/foundation';

const begunMs = performance.now();
await pause(1);

export const loadMs = performance.now() - begunMs;
