import type { Server } from '@grpc/grpc-js';
import { HealthImplementation, type ServingStatus } from 'grpc-health-check';
import { type Graph } from '#graph/engine';
import { GRAPH_PACKAGE, GRAPH_SERVICE } from '../proto/graph-proto.ts';

/** The whole server, and the service by its name. */
const NAMES = ['', `${GRAPH_PACKAGE}.${GRAPH_SERVICE}`];
/** Maximum delay until a watch reports a change. */
const LOOK_MS = 1_000;

/** `grpc.health.v1`, consistent with `/v1/health`: a store that rejects writes is NOT_SERVING. */
export class GraphHealthService {
  readonly #graph: Graph;
  readonly #health = new HealthImplementation();
  #looking: NodeJS.Timeout | undefined;
  #status: ServingStatus | undefined;
  #isStopping = false;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  addTo(server: Server): void {
    this.look();
    this.#health.addToServer(server);
    this.#looking = setInterval(() => {
      this.look();
    }, LOOK_MS).unref();
  }

  /** Called before each answer, so that it has the current state. */
  look(): void {
    const isServing = !this.#isStopping && this.#graph.health().status !== 'unhealthy';
    const status = isServing ? 'SERVING' : 'NOT_SERVING';
    if (status === this.#status) return;
    this.#status = status;
    for (const name of NAMES) this.#health.setStatus(name, status);
  }

  stop(): void {
    clearInterval(this.#looking);
    this.#isStopping = true;
    this.look();
  }
}
