/** What a key of one source may write: statements of that source, and nothing that others state. */
import { type Caller, Forbidden } from './caller.ts';

/**
 * The source as which the caller writes: the one that it names, or else the one of its key. Throws
 * {@link Forbidden} for another than that of its key.
 */
export function sourceOf(caller: Caller, named: string | undefined): string | undefined {
  if (caller.source === undefined || named === undefined) return caller.source ?? named;
  if (named !== caller.source) throw new Forbidden(caller, 'write');
  return named;
}

/** Throws {@link Forbidden} for a caller with a source: what it asks for would change what others state. */
export function requireNoSource(caller: Caller): void {
  if (caller.source !== undefined) throw new Forbidden(caller, 'write');
}

/** The parts of a sync that say whose it is. */
interface SourceScope {
  readonly connectorId: string;
  readonly priority?: number | undefined;
}

/**
 * Throws {@link Forbidden} for a sync that a caller with a source may not send: one of another source, and
 * one that puts itself above others by a priority.
 */
export function requireOwnScope(caller: Caller, { connectorId, priority }: SourceScope): void {
  sourceOf(caller, connectorId);
  if (priority !== undefined) requireNoSource(caller);
}

/** The parts of a write that say whose it is. */
interface SourceWrite {
  readonly connectorId?: string | undefined;
  readonly delete?: Readonly<Record<'entities' | 'relationships', readonly unknown[]>> | undefined;
}

/**
 * The write as the caller's source. Throws {@link Forbidden} for another source, and for deletes, which heed
 * no owner.
 */
export function ownWrite<Write extends SourceWrite>(caller: Caller, write: Write): Write {
  const { entities = [], relationships = [] } = write.delete ?? {};
  if (entities.length + relationships.length > 0) requireNoSource(caller);
  return { ...write, connectorId: sourceOf(caller, write.connectorId) };
}
