import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter } from 'prom-client';

export type RefusalReason = 'limit' | 'version' | 'credentials' | 'tls';

export const CONNECTIONS = 'plexus_bolt_connections_total';
export const REFUSED = 'plexus_bolt_connections_refused_total';
export const REQUESTS = 'plexus_bolt_requests_total';
export const ERRORS = 'plexus_bolt_errors_total';
export const ROWS = 'plexus_bolt_rows_total';

/** Labels are bounded: codes are those of this program. */
@Injectable()
export class BoltMetrics {
  readonly #connections: Counter;
  readonly #refused: Counter<'reason'>;
  readonly #requests: Counter<'request'>;
  readonly #errors: Counter<'code'>;
  readonly #rows: Counter;

  constructor(
    @InjectMetric(CONNECTIONS) connections: Counter,
    @InjectMetric(REFUSED) refused: Counter<'reason'>,
    @InjectMetric(REQUESTS) requests: Counter<'request'>,
    @InjectMetric(ERRORS) errors: Counter<'code'>,
    @InjectMetric(ROWS) rows: Counter,
  ) {
    this.#connections = connections;
    this.#refused = refused;
    this.#requests = requests;
    this.#errors = errors;
    this.#rows = rows;
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
