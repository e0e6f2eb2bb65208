import type { Actor } from '#platform/audit';
import { ANYONE, type Caller, NOBODY } from './caller.ts';

/** The caller as the audit and the log know it. */
export function actorOf(caller: Caller, place: Pick<Actor, 'from' | 'what' | 'requestId'>): Actor {
  const { name: who, source } = caller;
  return { who, source, isNamed: caller !== ANYONE && caller !== NOBODY, ...place };
}
