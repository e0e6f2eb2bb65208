import type { Actor } from './actor.ts';

/** The numbers of a change, by what they count. */
export type AuditCounts = Readonly<Record<string, number>>;

/** A change that is about to be made. It has names and numbers, never values. */
export interface AuditedChange {
  /** What is changed: a source, documents by their names, a key, a run. */
  readonly target: string;
  readonly counts?: AuditCounts;
  /** The sequence number of its batch in the log of a store. */
  readonly seq?: number;
}

/**
 * `done`: the change follows in the log of the store; `failed`: it could not be made, after a line that said
 * `done`; `refused`: the caller may not; `torn`, `lost`: the trail itself was interrupted.
 */
export type AuditOutcome = 'done' | 'failed' | 'refused' | 'torn' | 'lost';

/** A line of the trail, without its place in the chain. */
export interface AuditEvent {
  readonly time: string;
  readonly who: string;
  readonly source?: string | undefined;
  readonly from: string;
  readonly what: string;
  readonly target?: string | undefined;
  readonly counts?: AuditCounts | undefined;
  readonly seq?: number | undefined;
  readonly outcome: AuditOutcome;
  /** Of a refusal: its status, 401 or 403. */
  readonly status?: number | undefined;
  readonly request_id?: string | undefined;
}

/** A line as it is written. */
export interface ChainedEvent extends AuditEvent {
  readonly n: number;
  /** SHA-256 of the hash of the line before and of this line without its hash. */
  readonly hash: string;
}

/** Texts of clients are cut: a line stays short. */
const TEXT_MAX = 500;

export function eventOf(
  actor: Actor,
  nowMs: number,
  facts: Omit<AuditEvent, 'time' | 'who' | 'source' | 'from' | 'what' | 'request_id'>,
): AuditEvent {
  const { who, source, from, what, requestId } = actor;
  const { target, ...others } = facts;
  return {
    time: new Date(nowMs).toISOString(),
    who,
    source,
    from,
    what: what.slice(0, TEXT_MAX),
    target: target?.slice(0, TEXT_MAX),
    ...others,
    request_id: requestId,
  };
}
