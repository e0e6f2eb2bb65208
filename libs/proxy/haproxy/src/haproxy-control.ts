import { DomainError } from '#platform/foundation';
import { HaproxyFault, type RuntimeSocket } from './runtime-socket.ts';

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
