import { NodeDisk } from '#platform/disk';
import { AuditTrail } from './audit-trail.ts';

export interface AuditSettings {
  /** A file, or `-` for standard output; empty: no trail. */
  readonly audit: string;
  readonly auditBestEffort: boolean;
}

/** The trail of the settings; undefined where they name none. Throws INVALID_CONFIG, STORE_LOCKED. */
export async function openAudit(
  { audit: path, auditBestEffort: isBestEffort }: AuditSettings,
  output: { write(text: string): unknown } = process.stdout,
): Promise<AuditTrail | undefined> {
  return path === '' ? undefined : AuditTrail.open({ disk: new NodeDisk(), path, isBestEffort, output });
}
