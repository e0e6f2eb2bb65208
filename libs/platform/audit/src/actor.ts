/**
 * Who the running work is done for. It is kept in the asynchronous context, so that the code between a
 * server's first hook and the store need not pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Actor {
  /** The name of the key; of a command the user of the system. */
  readonly who: string;
  /** Whether a key says who it is: then the name stands in the log of the store as well. */
  readonly isNamed: boolean;
  /** The only source as which the key writes, if it is bound to one. */
  readonly source?: string | undefined;
  /** The address of the peer, or the interface of a command. */
  readonly from: string;
  /** The operation: a route, a method or a command, never with values of the request. */
  readonly what: string;
  readonly requestId?: string | undefined;
}

/** Work that nobody has asked for: schedules, housekeeping. */
export const PROGRAM: Actor = { who: 'plexus', isNamed: false, from: 'program', what: 'schedule' };

let ofProcess = PROGRAM;

const current = new AsyncLocalStorage<Actor>();

/** Does the work and its asynchronous continuations for the actor. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return current.run(actor, work);
}

/** Does all other work of this process for the actor: that of a command. */
export function actAlwaysAs(actor: Actor): void {
  ofProcess = actor;
}

export function currentActor(): Actor {
  return current.getStore() ?? ofProcess;
}
