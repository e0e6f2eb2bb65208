import { Counter, Gauge, type Registry } from 'prom-client';

export type RefusalReason = 'limit' | 'version' | 'credentials' | 'tls';

/** Labels are bounded: codes are those of this program. */
export class BoltMetrics {
  readonly #connections: Counter;
  readonly #refused: Counter<'reason'>;
  readonly #requests: Counter<'request'>;
  readonly #errors: Counter<'code'>;
  readonly #rows: Counter;

  constructor(registry: Registry, open: () => number) {
    const registers = [registry];
    new Gauge({
      name: 'plexus_bolt_connections_open',
      help: 'Open Bolt connections',
      registers,
      collect: function (this: Gauge): void {
        this.set(open());
      },
    });
    this.#connections = new Counter({
      name: 'plexus_bolt_connections_total',
      help: 'Accepted Bolt connections',
      registers,
    });
    this.#refused = new Counter({
      name: 'plexus_bolt_connections_refused_total',
      help: 'Refused Bolt connections, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.#requests = new Counter({
      name: 'plexus_bolt_requests_total',
      help: 'Answered Bolt requests',
      labelNames: ['request'],
      registers,
    });
    this.#errors = new Counter({
      name: 'plexus_bolt_errors_total',
      help: 'Failures sent over Bolt, by code',
      labelNames: ['code'],
      registers,
    });
    this.#rows = new Counter({ name: 'plexus_bolt_rows_total', help: 'Rows sent over Bolt', registers });
  }

  connected(): void {
    this.#connections.inc();
  }

  refused(reason: RefusalReason): void {
    this.#refused.inc({ reason });
  }

  answered(request: string): void {
    this.#requests.inc({ request });
  }

  failed(code: string): void {
    this.#errors.inc({ code });
  }

  sent(): void {
    this.#rows.inc();
  }
}
