import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createLogger } from '#observability';
import type { AdminConfig, ProxySource } from '#proxy';
import { ScriptedProxySource } from '#testing';
import { ADMIN_LIMITS, type AdminLimits } from '../../src/http/admin-limits.ts';
import { type RunningAdmin, startAdmin } from '../../src/http/start-admin.ts';
import { ProxyLife } from '../../src/life/proxy-life.ts';
import { proxyConfig } from './proxy-config.ts';

export interface TestAdminOptions<Source extends ProxySource> {
  readonly source: Source;
  readonly admin?: Partial<AdminConfig>;
  readonly limits?: Partial<AdminLimits>;
  /** The address that the configuration gives; the server listens on loopback all the same. */
  readonly host?: string;
}

/** An admin server on a port of its own. */
export class TestAdmin<Source extends ProxySource = ScriptedProxySource> {
  readonly source: Source;
  readonly life: ProxyLife;
  readonly url: string;
  readonly port: number;
  readonly #admin: RunningAdmin;

  /** In front of a proxy that is what the test says. */
  static scripted(options: Omit<TestAdminOptions<ScriptedProxySource>, 'source'> = {}): Promise<TestAdmin> {
    return TestAdmin.start({ ...options, source: new ScriptedProxySource() });
  }

  static async start<Source extends ProxySource>(
    options: TestAdminOptions<Source>,
  ): Promise<TestAdmin<Source>> {
    const { source, admin, limits, host = '127.0.0.1' } = options;
    const logger = createLogger({ format: 'json', level: 'silent' });
    const config = proxyConfig({ admin, host });
    const engine = { source, stop: () => source.drain(), configNow: () => undefined };
    const life = new ProxyLife(engine, config, logger);
    const running = await startAdmin({
      address: { ...config.adminAddress, text: `${host}:0` },
      admin: config.admin,
      source,
      life,
      logger,
      limits: { ...ADMIN_LIMITS, ...limits },
    });
    return new TestAdmin({ source, life, running });
  }

  private constructor(parts: { source: Source; life: ProxyLife; running: RunningAdmin }) {
    this.source = parts.source;
    this.life = parts.life;
    this.#admin = parts.running;
    this.port = Number(new URL(parts.running.url).port);
    this.url = `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  /** Sends bytes as they are, and gives all that comes until the server closes. */
  async exchange(request: string | Uint8Array): Promise<string> {
    const socket = await this.open();
    socket.write(request);
    return everythingFrom(socket);
  }

  /** The answer to a request that asks for the connection to be closed. */
  async ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer> {
    const all = { Host: `127.0.0.1:${this.port}`, ...headers, Connection: 'close' };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return rawAnswer(await this.exchange(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`));
  }

  stop(): Promise<void> {
    return this.#admin.close();
  }
}

/** All bytes up to the end, as Latin-1. A reset is an end. */
export async function everythingFrom(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** An answer taken apart. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function rawAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: text.slice(end + 4),
  };
}
