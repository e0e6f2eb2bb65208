import { userInfo } from 'node:os';
import { actAlwaysAs, type AuditSettings, type AuditTrail, openAudit } from '#platform/audit';

/**
 * The trail of a command that changes a data directory itself: who does is the user of the system. Lines for
 * standard output go to standard error, which is not the result of the command.
 */
export function openCommandAudit(settings: AuditSettings): Promise<AuditTrail | undefined> {
  if (settings.audit !== '') {
    const who = `user ${userInfo().username}`;
    actAlwaysAs({ who, isNamed: true, from: 'command line', what: 'command' });
  }
  return openAudit(settings, process.stderr);
}
