import { isLoopback } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { AdmissionOptions } from './admission.ts';

/** Says at the start what lets others in. `prefix`: of the variables; `risk`: what others can do. */
export function warnOfAccess(
  { apiKey, host, publicDocs }: AdmissionOptions,
  log: Log,
  { prefix, risk }: { readonly prefix: string; readonly risk: string },
): void {
  if (publicDocs) {
    const names = { was: `${prefix}PUBLIC_DOCS`, now: `${prefix}PUBLIC_PAGES` };
    log.warn({ event: 'settings.renamed', ...names }, 'the setting has another name');
  }
  if (apiKey === undefined && !isLoopback(host)) {
    log.warn({ event: 'server.open', host }, `no API key is set: whoever reaches this address may ${risk}`);
  }
}
