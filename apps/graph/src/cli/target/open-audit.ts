import { userInfo } from 'node:os';
import { actAlwaysAs, AuditTrail } from '#platform/audit';
import { NodeDisk } from '#platform/disk';
import type { GraphSettings } from '../../settings.ts';

type AuditSettings = Pick<GraphSettings, 'audit' | 'auditBestEffort'>;

/** The trail of the settings; undefined where they name none. Throws INVALID_CONFIG, STORE_LOCKED. */
export async function openAudit(
  { audit: path, auditBestEffort: isBestEffort }: AuditSettings,
  output: { write(text: string): unknown } = process.stdout,
): Promise<AuditTrail | undefined> {
  return path === '' ? undefined : AuditTrail.open({ disk: new NodeDisk(), path, isBestEffort, output });
}

/**
 * The same for a command that changes a data directory itself: who does is the user of the system. Lines for
 * standard output go to standard error, which is not the result of the command.
 */
export function openCommandAudit(settings: AuditSettings): Promise<AuditTrail | undefined> {
  if (settings.audit !== '') {
    const who = `user ${userInfo().username}`;
    actAlwaysAs({ who, isNamed: true, from: 'command line', what: 'command' });
  }
  return openAudit(settings, process.stderr);
}
