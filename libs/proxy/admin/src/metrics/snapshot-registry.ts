import { Registry } from 'prom-client';
import type { ProxySource } from '#proxy/engine';
import { metricsText } from './metrics-text.ts';

/** The format knows one spelling. */
const NAN_OF_PROM_CLIENT = / Nan$/gm;

/** A page that begins with the proxy's own metrics, read from one snapshot, and ends with the process's. */
export class SnapshotRegistry extends Registry {
  readonly #source: ProxySource;

  constructor(source: ProxySource) {
    super();
    this.#source = source;
  }

  override async metrics(): Promise<string> {
    const ofProcess = await super.metrics();
    return metricsText(await this.#source.snapshot()) + ofProcess.replaceAll(NAN_OF_PROM_CLIENT, ' NaN');
  }
}
