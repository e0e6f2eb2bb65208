/** A thread that evaluates rules over the graph's shared memory. */
import { parentPort } from 'node:worker_threads';
import { GraphSnapshot, type SharedSnapshot } from '#graph';
import { serveEvaluations } from '#policy';

if (parentPort !== null) {
  serveEvaluations(parentPort, (shared) => GraphSnapshot.attach(shared as SharedSnapshot));
}
