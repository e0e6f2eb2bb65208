export { type Actor, actAlwaysAs, actingAs, currentActor, PROGRAM } from './actor.ts';
export type { AuditCounts, AuditedChange, AuditEvent, AuditOutcome, ChainedEvent } from './audit-event.ts';
export { type AuditAnswer, type AuditQuery, AuditTrail } from './audit-trail.ts';
export { AuditedChanges } from './audited-changes.ts';
export { loadAuditCommand } from './command/load-audit-command.ts';
export { type AuditSettings, openAudit } from './open-audit.ts';
export { type TrailVerdict, verifyTrail } from './verify-trail.ts';
