import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { AuditTrail } from '#platform/audit';
import type { Keyring } from '#platform/auth';
import type { ServerTls } from '#platform/tls';
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
  /** The keys of a file. */
  readonly keys?: Keyring;
  readonly tls?: ServerTls;
  readonly audit?: AuditTrail;
  /** The configured address; the server listens on loopback in any case. */
  readonly host?: string;
}

/** The app with a given proxy, and its admin server on a free port. */
export class TestAdmin<Source extends ProxySource = ScriptedProxySource> {
  readonly source: Source;
  readonly url: string;
  readonly port: number;
  readonly #app: TestApp;

  /** An admin server in front of a scripted proxy. */
  static scripted(options: Omit<TestAdminOptions<ScriptedProxySource>, 'source'> = {}): Promise<TestAdmin> {
    return TestAdmin.start({ ...options, source: new ScriptedProxySource() });
  }

  static async start<Source extends ProxySource>(
    options: TestAdminOptions<Source>,
  ): Promise<TestAdmin<Source>> {
    const { source, admin, limits, keys, tls, audit, host = '127.0.0.1' } = options;
    const config = proxyConfig({ admin, host });
    const { adminAddress: address } = config;
    const server = new AdminServer(config.admin, address, {
      limits: { ...ADMIN_LIMITS, ...limits },
      keys,
      tls,
      audit,
    });
    const parts = { ...NO_PROXY, config, logging: SILENT, server, audit };
    const app = await TestApp.start(proxyAdminApp(parts), {
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

  /** The application itself. */
  get app(): TestApp['app'] {
    return this.#app.app;
  }

  /** Resolves when the app requests its end. */
  get ended(): Promise<string> {
    return this.#app.stopSignal.promise;
  }

  async open(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  /** Sends exact bytes, and returns everything received until the server closes. */
  async exchange(request: string | Uint8Array): Promise<string> {
    const socket = await this.open();
    socket.write(request);
    return everythingFrom(socket);
  }

  /** The response to a request with `Connection: close`. */
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

/** All bytes up to the end, as Latin-1. A reset counts as an end. */
export async function everythingFrom(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** A parsed response. */
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
