import { Counter, Gauge, type Registry } from 'prom-client';

/** Calls by method and status. Labels are bounded: only existing methods are counted. */
export class CallMetrics {
  readonly #ended: Counter<'method' | 'code'>;
  #open = 0;

  constructor(registry: Registry) {
    this.#ended = new Counter({
      name: 'plexus_grpc_calls_total',
      help: 'Completed gRPC calls, by method and status',
      labelNames: ['method', 'code'],
      registers: [registry],
    });
    const read = (): number => this.#open;
    new Gauge({
      name: 'plexus_grpc_calls_open',
      help: 'gRPC calls in progress',
      registers: [registry],
      collect: function (this: Gauge): void {
        this.set(read());
      },
    });
  }

  began(): void {
    this.#open++;
  }

  ended(method: string, code: string): void {
    this.#open--;
    this.#ended.inc({ method, code });
  }
}
