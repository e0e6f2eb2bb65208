export { type Actor, actAlwaysAs, actingAs, currentActor } from './actor.ts';
export type { AuditCounts, AuditedChange, AuditEvent, AuditOutcome, ChainedEvent } from './audit-event.ts';
export { type AuditAnswer, type AuditQuery, AuditTrail } from './audit-trail.ts';
export { type TrailVerdict, verifyTrail } from './verify-trail.ts';
