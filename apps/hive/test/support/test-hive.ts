import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActiveRun, Hive, type RunTimes, type RunView } from '#load/coordination';
import { HiveGrpcServer } from '#load/protocol';
import { type AuditTrail, openAudit } from '#platform/audit';
import { HIVE_ACCESS, openKeys } from '#platform/auth';
import { parseSettings } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import type { TlsMaterial } from '#platform/grpc';
import { TestApp, type TestAppOptions } from '#testing';
import { hiveApp } from '../../src/hive-app.module.ts';
import { SETTING_PREFIX, SETTING_TABLE } from '../../src/settings.ts';

/** Shortened intervals and time limits. */
const QUICK: Partial<RunTimes> = {
  heartbeatMs: 50,
  tickMs: 20,
  planMs: 5,
  recheckMs: 40,
  leadMs: 10,
  settleMs: 300,
};

export interface TestHiveOptions extends Pick<TestAppOptions, 'override'> {
  /** `PLEXUS_HIVE_…` variables, and variables named by scenarios. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly times?: Partial<RunTimes>;
  /** The data directory of a stopped hive; by default a new one. */
  readonly directory?: string;
  readonly grpcPort?: number;
  readonly tls?: TlsMaterial;
}

/** The whole hive in this process, on free ports. */
export class TestHive {
  readonly directory: string;
  readonly url: string;
  readonly grpcPort: number;
  readonly hive: Hive;
  readonly #app: TestApp;
  #audit: AuditTrail | undefined;

  static async start(options: TestHiveOptions = {}): Promise<TestHive> {
    const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'plexus-hive-')));
    const environment = {
      PLEXUS_HIVE_DATA_DIR: directory,
      PLEXUS_HIVE_GRPC_PORT: String(options.grpcPort ?? 0),
      ...options.environment,
    };
    const settings = parseSettings(SETTING_TABLE, { environment, prefix: SETTING_PREFIX });
    const times = { ...QUICK, ...options.times };
    const keys = await openKeys({
      disk: new NodeDisk(),
      path: settings.keys,
      model: HIVE_ACCESS,
      apiKey: settings.apiKey,
    });
    const audit = await openAudit(settings);
    const app = await TestApp.start(
      hiveApp({ settings, environment, times, tls: options.tls, keys, audit }),
      options,
    );
    return new TestHive(directory, app, audit);
  }

  private constructor(directory: string, app: TestApp, audit: AuditTrail | undefined) {
    this.#audit = audit;
    this.directory = directory;
    this.url = app.url;
    this.grpcPort = app.app.get(HiveGrpcServer).boundPort ?? 0;
    this.hive = app.app.get(Hive);
    this.#app = app;
  }

  /** The application itself. */
  get app(): TestApp['app'] {
    return this.#app.app;
  }

  get grpcAddress(): string {
    return `127.0.0.1:${this.grpcPort}`;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const reply = await fetch(this.url + path, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  }

  /** The body of the reply; throws for any other status. */
  async json<Body = Json>(status: number, ...call: Parameters<TestHive['call']>): Promise<Body> {
    const answer = await this.call(...call);
    if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
    return JSON.parse(answer.text) as Body;
  }

  begin(scenario: unknown): Promise<RunView> {
    return this.json<RunView>(201, 'POST', '/runs', scenario);
  }

  run(runId: string): Promise<RunView> {
    return this.json<RunView>(200, 'GET', `/runs/${runId}`);
  }

  /** Resolves when the condition holds, checked after each change; rejects if the run ends before. */
  async until(runId: string, isSo: (run: RunView) => boolean): Promise<RunView> {
    const active = this.hive.runs.activeOf(runId);
    if (active !== undefined) await Promise.race([this.#hears(active, isSo), active.effects.ended]);
    const run = await this.run(runId);
    if (isSo(run) || run.status === 'Starting' || run.status === 'Running') return run;
    throw new Error(`the run has ended before: ${JSON.stringify(run)}`);
  }

  #hears({ run, effects }: ActiveRun, isSo: (run: RunView) => boolean): Promise<void> {
    return new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isSo(this.hive.view(run.runId))) return;
        unlisten();
        resolve();
      };
      const unlisten = effects.listen(look);
      look();
    });
  }

  /** Resolves when the run has ended. */
  async end(runId: string): Promise<RunView> {
    await this.hive.runs.activeOf(runId)?.effects.ended;
    return this.run(runId);
  }

  /** Stops the hive gracefully, and keeps its data. */
  async stop(): Promise<void> {
    await this.#app.stop();
    await this.#audit?.close();
    this.#audit = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    // A pending report may still write its file.
    await rm(this.directory, { recursive: true, force: true, maxRetries: 20 });
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Json = Readonly<Record<string, unknown>>;
