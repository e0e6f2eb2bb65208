import type { BulkLoadReply } from '../http/ingest/bulk-load.ts';

/** Some lines were refused; the others are loaded. */
export class IngestFailure extends Error {
  override readonly name = 'IngestFailure';

  constructor({ errors, error_count }: BulkLoadReply) {
    const shown = errors.map(({ line, code, message }) => `line ${String(line)}: ${code}: ${message}`);
    const rest = error_count - errors.length;
    super([...shown, ...(rest > 0 ? [`and ${String(rest)} more`] : [])].join('\n'));
  }
}
