/** A thread that evaluates rules over the graph's shared memory. */
import { parentPort } from 'node:worker_threads';
import { GraphSnapshot, type SharedSnapshot } from '#graph/engine';
import { serveEvaluations } from '../pool/serve-evaluations.ts';

if (parentPort !== null) {
  serveEvaluations(parentPort, (shared) => GraphSnapshot.attach(shared as SharedSnapshot));
}
