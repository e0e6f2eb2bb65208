import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ADMIN_LIMITS, type AdminLimits, AdminServer } from '#proxy/admin';
import { type AdminConfig, ProxySource } from '#proxy/engine';
import { ScriptedProxySource } from '#proxy/testing';
import { TestApp } from '#testing';
import { proxyAdminApp } from '../../src/proxy-admin-app.module.ts';
import { proxyConfig } from './proxy-config.ts';

const NO_PROXY = { file: 'none', environment: {}, lines: undefined, workers: undefined };
const SILENT = { format: 'json', level: 'silent' } as const;

export interface TestAdminOptions<Source extends ProxySource> {
  readonly source: Source;
  readonly admin?: Partial<AdminConfig>;
  readonly limits?: Partial<AdminLimits>;
  /** The address that the configuration gives; the server listens on loopback all the same. */
  readonly host?: string;
}

/** The app with a proxy that the test gives, its admin server on a port of its own. */
export class TestAdmin<Source extends ProxySource = ScriptedProxySource> {
  readonly source: Source;
  readonly url: string;
  readonly port: number;
  readonly #app: TestApp;

  /** In front of a proxy that is what the test says. */
  static scripted(options: Omit<TestAdminOptions<ScriptedProxySource>, 'source'> = {}): Promise<TestAdmin> {
    return TestAdmin.start({ ...options, source: new ScriptedProxySource() });
  }

  static async start<Source extends ProxySource>(
    options: TestAdminOptions<Source>,
  ): Promise<TestAdmin<Source>> {
    const { source, admin, limits, host = '127.0.0.1' } = options;
    const config = proxyConfig({ admin, host });
    const { adminAddress: address } = config;
    const server = new AdminServer(config.admin, address, { ...ADMIN_LIMITS, ...limits });
    const app = await TestApp.start(proxyAdminApp({ ...NO_PROXY, config, logging: SILENT, server }), {
      override: (builder) => builder.overrideProvider(ProxySource).useValue(source),
    });
    return new TestAdmin(source, app);
  }

  private constructor(source: Source, app: TestApp) {
    this.source = source;
    this.#app = app;
    this.url = app.url;
    this.port = Number(new URL(app.url).port);
  }

  /** Resolves when the app wants to end. */
  get ended(): Promise<string> {
    return this.#app.stopSignal.promise;
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
    return this.#app.stop();
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
