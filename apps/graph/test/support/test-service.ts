import type { Abstract, Type } from '@nestjs/common';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfiguredConnector } from '#graph/connector';
import { CONFIGURED_CONNECTORS } from '#graph/connector/module';
import { BoltServer } from '#graph/api/bolt';
import { Graph } from '#graph/engine';
import { GraphGrpcServer } from '#graph/api/grpc';
import { Policies, RuleFiles } from '#graph/policy';
import { type AuditTrail, openAudit } from '#platform/audit';
import { GRAPH_ACCESS, openKeys, openSingleSignOn } from '#platform/auth';
import { parseSettings } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { Clock } from '#platform/foundation';
import type { ServerTls } from '#platform/grpc';
import { TestApp, type TestAppOptions } from '#testing';
import { graphApp } from '../../src/graph-app.module.ts';
import { SETTING_PREFIX, SETTING_TABLE } from '../../src/settings.ts';

export interface TestServiceOptions extends TestAppOptions {
  /** Environment variables, `PLEXUS_…`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly connectors?: readonly ConfiguredConnector[];
  /** A package-lock.json to load into an empty graph. */
  readonly firstStart?: string;
  /** The certificate of HTTP. */
  readonly tls?: ServerTls;
  /** Certificates of gRPC, if the environment enables it. */
  readonly grpcTls?: ServerTls;
  /** The certificate of Bolt, if the environment enables it. */
  readonly boltTls?: ServerTls;
  /** An existing directory, which is kept; default: a temporary one. */
  readonly directory?: string;
}

/** The whole service on a free port, over a real store in its own directory. */
export class TestService {
  readonly #app: TestApp;
  readonly #directory: string | undefined;
  readonly #audit: AuditTrail | undefined;

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'plexus-test-')));
    const settings = parseSettings(SETTING_TABLE, {
      environment: { PLEXUS_DATA_DIR: directory, ...options.environment },
      prefix: SETTING_PREFIX,
    });
    const { clock, connectors, firstStart, tls, grpcTls, boltTls, override = (builder) => builder } = options;
    const keys = await openKeys({
      disk: new NodeDisk(),
      path: settings.keys,
      model: GRAPH_ACCESS,
      apiKey: settings.apiKey,
    });
    const signOn = await openSingleSignOn(settings, GRAPH_ACCESS, keys?.keyring);
    const audit = await openAudit(settings);
    const parts = { settings, keys, signOn, audit, firstStart, tls, grpcTls, boltTls };
    const app = await TestApp.start(graphApp(parts), {
      ...options,
      override: (builder) => {
        if (clock !== undefined) builder.overrideProvider(Clock).useValue(clock);
        if (connectors !== undefined) builder.overrideProvider(CONFIGURED_CONNECTORS).useValue(connectors);
        return override(builder);
      },
    });
    return new TestService(app, options.directory === undefined ? directory : undefined, audit);
  }

  private constructor(app: TestApp, directory: string | undefined, audit: AuditTrail | undefined) {
    this.#app = app;
    this.#audit = audit;
    this.#directory = directory;
  }

  get url(): string {
    return this.#app.url;
  }

  /** Address of gRPC. */
  get grpcAddress(): string {
    return `127.0.0.1:${this.get(GraphGrpcServer).boundPort ?? 0}`;
  }

  /** Address of Bolt. */
  get boltAddress(): string {
    return this.get(BoltServer).address;
  }

  /** The application itself. */
  get app(): TestApp['app'] {
    return this.#app.app;
  }

  get graph(): Graph {
    return this.#app.app.get(Graph);
  }

  get policies(): Policies {
    return this.#app.app.get(Policies);
  }

  get ruleFiles(): RuleFiles {
    return this.#app.app.get(RuleFiles);
  }

  /** The provider of a token. */
  get<T>(token: Type<T> | Abstract<T>): T {
    return this.#app.app.get<T>(token);
  }

  /** The value of a metric, by its name and labels as the page has them; 0 if it is not there. */
  async metric(name: string): Promise<number> {
    const { text } = await this.call('GET', '/metrics');
    const found = text.split('\n').find((line) => line.startsWith(`${name} `));
    return found === undefined ? 0 : Number(found.slice(name.length + 1));
  }

  /** Resolves when a metric has the value. Polls the service; each answer is a turn of its event loop. */
  async metricIs(name: string, value: number): Promise<void> {
    while ((await this.metric(name)) !== value);
  }

  /** Sends a body as JSON; text and bytes are sent unchanged. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const reply = await fetch(this.url + path, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? Buffer.from(body) : JSON.stringify(body) }),
    });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  }

  /** The body of a reply, which must have the given status. */
  async json(status: number, ...call: Parameters<TestService['call']>): Promise<Json> {
    const answer = await this.call(...call);
    if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
    return bodyOf(answer);
  }

  query(pql: string, more: object = {}): Promise<Json> {
    return this.json(200, 'POST', '/v1/query', { pql, ...more });
  }

  async stop(): Promise<void> {
    await this.#app.stop();
    await this.#audit?.close();
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A parsed body; the request of the test determines which lists exist. */
export interface Json {
  readonly [name: string]: unknown;
  readonly entities: readonly Json[];
  readonly errors: readonly Json[];
  readonly neighbors: readonly Json[];
  readonly paths: readonly Json[];
  readonly entity: Json;
}

export function bodyOf({ text }: Answer): Json {
  return JSON.parse(text) as Json;
}
