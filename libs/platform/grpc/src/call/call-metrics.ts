import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Counter, Gauge } from 'prom-client';

const ENDED = 'plexus_grpc_calls_total';

/** Calls by method and status. Labels are bounded: only existing methods are counted. */
@Injectable()
export class CallMetrics {
  readonly #ended: Counter<'method' | 'code'>;
  #open = 0;

  constructor(@InjectMetric(ENDED) ended: Counter<'method' | 'code'>) {
    this.#ended = ended;
  }

  /** Calls in progress. */
  get open(): number {
    return this.#open;
  }

  began(): void {
    this.#open++;
  }

  ended(method: string, code: string): void {
    this.#open--;
    this.#ended.inc({ method, code });
  }
}

/** The metrics of {@link CallMetrics}. */
export const CALL_METRICS: readonly Provider[] = [
  makeCounterProvider({
    name: ENDED,
    help: 'Completed gRPC calls, by method and status',
    labelNames: ['method', 'code'],
    registers: [],
  }),
  makeGaugeProvider({
    name: 'plexus_grpc_calls_open',
    help: 'gRPC calls in progress',
    registers: [],
    inject: [CallMetrics],
    collect(this: Gauge, calls: CallMetrics) {
      this.set(calls.open);
    },
  }),
];
