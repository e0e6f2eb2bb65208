import { DomainError } from '#platform/foundation';
import type { DrainResult } from '#proxy/engine';
import { HaproxyFault, type RuntimeSocket } from './runtime-socket.ts';
import type { ServerRow } from './stat-report.ts';

/** A state of `set server … state`. */
export type ServerOrder = 'ready' | 'drain' | 'maint';

/** The characters that HAProxy allows in names of sections and servers: none of them ends a command. */
const NAME = /^[\w.:-]+$/;

/**
 * Commands to HAProxy. They reject with ENGINE_UNAVAILABLE when it is unreachable, or rejects the command.
 */
export class HaproxyControl {
  readonly #socket: RuntimeSocket;

  constructor(socket: RuntimeSocket) {
    this.#socket = socket;
  }

  async setServer(backend: string, server: string, order: ServerOrder): Promise<void> {
    await this.#order(`set server ${named(backend)}/${named(server)} state ${order}`);
  }

  /** Closes the open sessions of a server. */
  async cutSessions(backend: string, server: string): Promise<void> {
    await this.#order(`shutdown sessions server ${named(backend)}/${named(server)}`);
  }

  /** HAProxy returns nothing for a successful command. */
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
    throw new DomainError('ENGINE_UNAVAILABLE', `invalid name for haproxy: ${JSON.stringify(name)}`);
  return name;
}

interface DrainSteps {
  readonly control: HaproxyControl;
  /** Reads the servers anew: none when HAProxy has ended, undefined when it does not answer. */
  readonly readServers: () => Promise<readonly ServerRow[] | undefined>;
  /** Resolves after the given time. */
  readonly wait: (ms: number) => Promise<void>;
  readonly nowMs: () => number;
}

const LOOK_MS = 200;

/**
 * Puts all servers into drain: they get no new requests, and complete those they have. Sessions left at the
 * time-out are closed. Resolves when nothing is open, or HAProxy has ended. Rejects with ENGINE_UNAVAILABLE
 * when HAProxy rejects a command, or does not answer until the time-out: it may still carry traffic.
 */
export async function drainServers(timeoutMs: number, steps: DrainSteps): Promise<DrainResult> {
  const deadlineMs = steps.nowMs() + timeoutMs;
  for (let isDraining = false; ;) {
    const servers = await steps.readServers();
    if (servers !== undefined && !isDraining) {
      for (const { backend, name } of servers) await steps.control.setServer(backend, name, 'drain');
      isDraining = true;
      continue;
    }
    const busy = servers?.filter(({ requestsNow }) => requestsNow > 0);
    if (busy?.length === 0) return { cutConnections: 0, cutRequests: 0 };
    if (steps.nowMs() >= deadlineMs) return cut(busy, steps.control);
    await steps.wait(Math.min(LOOK_MS, Math.max(1, deadlineMs - steps.nowMs())));
  }
}

async function cut(busy: readonly ServerRow[] | undefined, control: HaproxyControl): Promise<DrainResult> {
  if (busy === undefined) throw new DomainError('ENGINE_UNAVAILABLE', 'haproxy does not answer');
  for (const { backend, name } of busy) await control.cutSessions(backend, name);
  const open = (rows: readonly ServerRow[]): number => rows.reduce((sum, row) => sum + row.requestsNow, 0);
  return { cutConnections: open(busy), cutRequests: open(busy.filter(({ mode }) => mode === 'http')) };
}
