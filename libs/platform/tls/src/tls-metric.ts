import type { Provider } from '@nestjs/common';
import { makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Gauge } from 'prom-client';
import { ServingTls } from './serving-tls.ts';
import type { ServerTls } from './tls-material.ts';

const MS_PER_S = 1_000;

/** The metric of the ends of the certificates in use, by listener; none without certificates. */
export function tlsMetric(listeners: Readonly<Record<string, ServerTls | undefined>>): readonly Provider[] {
  const secured = Object.entries(listeners).filter(
    (entry): entry is [string, ServingTls] => entry[1] instanceof ServingTls,
  );
  if (secured.length === 0) return [];
  return [
    makeGaugeProvider({
      name: 'plexus_tls_certificate_end_seconds',
      help: 'End of the certificate of a listener, in seconds since 1970',
      labelNames: ['listener'],
      registers: [],
      collect(this: Gauge<'listener'>) {
        for (const [listener, { endsMs }] of secured) this.set({ listener }, endsMs / MS_PER_S);
      },
    }),
  ];
}
