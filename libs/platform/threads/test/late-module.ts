/** A module with a top-level await, as WebAssembly modules have; its importer runs after it. */
import { pause } from '#platform/foundation';

const begunMs = performance.now();
await pause(1);

export const loadMs = performance.now() - begunMs;
