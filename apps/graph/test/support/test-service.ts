import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { parseSettings } from '#config';
import type { ConfiguredConnector } from '#connector';
import { NodeDisk } from '#disk';
import { type Clock, systemClock } from '#foundation';
import { Graph } from '#graph';
import { createLogger } from '#observability';
import { PolicyDesk } from '../../src/policy/policy-desk.ts';
import { createConnectorRuns } from '../../src/connectors/connector-service.ts';
import { assembleApp, NEST_OPTIONS } from '../../src/http/create-app.ts';
import { SETTING_PREFIX, SETTING_TABLE } from '../../src/settings.ts';

export interface TestServiceOptions {
  /** Variables as `PLEXUS_…` has them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Beside the service's own. */
  readonly controllers?: readonly Type[];
  readonly clock?: Clock;
  readonly connectors?: readonly ConfiguredConnector[];
}

/** The whole service on a port of its own, over a real store in a directory of its own. */
export class TestService {
  readonly url: string;
  readonly graph: Graph;
  readonly desk: PolicyDesk;
  readonly #app: NestFastifyApplication;
  readonly #directory: string;

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-test-'));
    const settings = parseSettings(SETTING_TABLE, {
      environment: { PLEXUS_DATA_DIR: directory, ...options.environment },
      prefix: SETTING_PREFIX,
    });
    const { clock = systemClock, controllers = [] } = options;
    const graph = await Graph.open({ directory, disk: new NodeDisk(), clock });
    const logger = createLogger({ format: 'json', level: 'silent' });
    const registry = new Registry();
    const desk = await PolicyDesk.open({ graph, settings, logger, registry, clock });
    const { policies } = desk;
    const connectors = await createConnectorRuns(graph, options.connectors ?? [], logger);
    const { module, adapter, prepare } = assembleApp({
      graph,
      connectors,
      policies,
      settings,
      logger,
      registry,
      clock,
    });
    const testing = Test.createTestingModule({ imports: [module], controllers: [...controllers] });
    const app = (await testing.compile()).createNestApplication<NestFastifyApplication>(
      adapter,
      NEST_OPTIONS,
    );
    prepare(app);
    await app.listen(0, '127.0.0.1');
    return new TestService({ app, graph, desk, directory, url: await app.getUrl() });
  }

  private constructor(parts: {
    app: NestFastifyApplication;
    graph: Graph;
    desk: PolicyDesk;
    directory: string;
    url: string;
  }) {
    this.#app = parts.app;
    this.graph = parts.graph;
    this.desk = parts.desk;
    this.#directory = parts.directory;
    this.url = parts.url;
  }

  /** Sends JSON when there is a body; a text or bytes are sent as they are. */
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

  /** The body of a reply, which must have the status. */
  async json(status: number, ...call: Parameters<TestService['call']>): Promise<Json> {
    const answer = await this.call(...call);
    if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
    return bodyOf(answer);
  }

  query(pql: string, more: object = {}): Promise<Json> {
    return this.json(200, 'POST', '/v1/query', { pql, ...more });
  }

  async stop(): Promise<void> {
    await this.#app.close();
    await this.desk.close();
    await this.graph.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A parsed body; the lists are there when the test's request gives them. */
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
