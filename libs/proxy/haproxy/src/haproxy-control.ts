import { DomainError } from '#platform/foundation';
import type { DrainResult } from '#proxy/engine';
import { HaproxyFault, type RuntimeSocket } from './runtime-socket.ts';
import type { ServerRow } from './stat-report.ts';

/** A word of `set server … state`. */
export type ServerOrder = 'ready' | 'drain' | 'maint';

/** What HAProxy allows in the names of its sections and servers: nothing that could end a command. */
const NAME = /^[\w.:-]+$/;

/** Orders to HAProxy. They reject with ENGINE_UNAVAILABLE when it cannot be reached, or refuses. */
export class HaproxyControl {
  readonly #socket: RuntimeSocket;

  constructor(socket: RuntimeSocket) {
    this.#socket = socket;
  }

  async setServer(backend: string, server: string, order: ServerOrder): Promise<void> {
    await this.#order(`set server ${named(backend)}/${named(server)} state ${order}`);
  }

  /** Cuts what is open to a server. */
  async cutSessions(backend: string, server: string): Promise<void> {
    await this.#order(`shutdown sessions server ${named(backend)}/${named(server)}`);
  }

  /** HAProxy says nothing to an order that it follows. */
  async #order(command: string): Promise<void> {
    const said = await this.#socket.ask(command).catch((cause: unknown) => {
      if (!(cause instanceof HaproxyFault)) throw cause;
      throw new DomainError('ENGINE_UNAVAILABLE', `haproxy cannot be reached: ${cause.message}`, { cause });
    });
    if (said.trim() !== '') {
      throw new DomainError('ENGINE_UNAVAILABLE', `haproxy refused ${command}: ${said.trim()}`);
    }
  }
}

function named(name: string): string {
  if (!NAME.test(name))
    throw new DomainError('ENGINE_UNAVAILABLE', `no name of haproxy: ${JSON.stringify(name)}`);
  return name;
}

interface DrainSteps {
  readonly control: HaproxyControl;
  /** A new reading; undefined when HAProxy cannot be reached. */
  readonly readServers: () => Promise<readonly ServerRow[] | undefined>;
  /** Resolves when so much time has passed. */
  readonly wait: (ms: number) => Promise<void>;
  readonly nowMs: () => number;
}

const LOOK_MS = 200;

/**
 * Puts all servers into drain: they get nothing new, and finish what they have. What is left when the time is
 * over is cut. Resolves when nothing is open, or HAProxy is gone. Rejects with ENGINE_UNAVAILABLE when it
 * refuses.
 */
export async function drainServers(timeoutMs: number, steps: DrainSteps): Promise<DrainResult> {
  const deadlineMs = steps.nowMs() + timeoutMs;
  for (const { backend, name } of (await steps.readServers()) ?? []) {
    await steps.control.setServer(backend, name, 'drain');
  }
  for (;;) {
    const busy = (await steps.readServers())?.filter(({ requestsNow }) => requestsNow > 0) ?? [];
    if (busy.length === 0) return { cutConnections: 0, cutRequests: 0 };
    if (steps.nowMs() >= deadlineMs) return cut(busy, steps.control);
    await steps.wait(Math.min(LOOK_MS, Math.max(1, deadlineMs - steps.nowMs())));
  }
}

async function cut(busy: readonly ServerRow[], control: HaproxyControl): Promise<DrainResult> {
  for (const { backend, name } of busy) await control.cutSessions(backend, name);
  const open = (rows: readonly ServerRow[]): number => rows.reduce((sum, row) => sum + row.requestsNow, 0);
  return { cutConnections: open(busy), cutRequests: open(busy.filter(({ mode }) => mode === 'http')) };
}
