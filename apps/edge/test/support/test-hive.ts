import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EdgeRegistry } from '#load/coordination';
import {
  type EdgeChannel,
  type EdgeCredential,
  EdgeGateway,
  type EdgeHeartbeat,
  type EdgeIdentity,
  type EdgeListener,
  type EdgeProgress,
  type EdgeRegistration,
  HiveGrpcController,
  HiveGrpcServer,
  type ReceivedBatch,
} from '#load/protocol';
import { systemClock } from '#platform/foundation';
import { CrashDisk, Story } from '#testing';

@Module({})
class TestHiveModule {}

/** A message or connection event that the hive has received. */
export type Heard =
  | { readonly kind: 'registered'; readonly identity: EdgeIdentity }
  | { readonly kind: 'deregistered' | 'connected' | 'closed' }
  | { readonly kind: 'heartbeat'; readonly heartbeat: EdgeHeartbeat }
  | { readonly kind: 'acked'; readonly revision: number }
  | { readonly kind: 'nacked'; readonly code: string; readonly reason: string }
  | { readonly kind: 'progress'; readonly progress: EdgeProgress }
  | { readonly kind: 'batch'; readonly batch: ReceivedBatch };

/** The hive's side of the protocol over real gRPC, with a registry; it acts only on calls of the test. */
export class TestHive extends EdgeGateway {
  override readonly version = '0.1.0';
  override readonly heartbeatIntervalMs = 100;
  override readonly batchCredit = 8;
  readonly story = new Story<Heard>();
  /** The channel to the edge that connected last. */
  channel: EdgeChannel | undefined;
  address = '';
  readonly #registry: EdgeRegistry;
  #app: INestMicroservice | undefined;

  static async start(): Promise<TestHive> {
    const disk = new CrashDisk(3);
    await disk.makeDirectory('/data');
    const registry = await EdgeRegistry.open({ disk, directory: '/data', clock: systemClock });
    const hive = new TestHive(registry);
    await hive.listen(0);
    return hive;
  }

  private constructor(registry: EdgeRegistry) {
    super();
    this.#registry = registry;
  }

  async listen(port: number): Promise<void> {
    const strategy = new HiveGrpcServer({ host: '127.0.0.1', port });
    const module = {
      module: TestHiveModule,
      controllers: [HiveGrpcController],
      providers: [{ provide: EdgeGateway, useValue: this }],
    };
    this.#app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await this.#app.listen();
    this.address = `127.0.0.1:${strategy.boundPort ?? 0}`;
  }

  async stop(): Promise<void> {
    await this.#app?.close();
    this.#app = undefined;
  }

  /** Resolves with the `count`-th event of the kind. */
  async heard<K extends Heard['kind']>(kind: K, count = 1): Promise<Extract<Heard, { kind: K }>> {
    const heard = await this.story.until((one) => one.kind === kind, count);
    return heard as Extract<Heard, { kind: K }>;
  }

  /** Resolves with the first progress in the phase. */
  async phase(phase: string): Promise<EdgeProgress> {
    const heard = await this.story.until((one) => one.kind === 'progress' && one.progress.phase === phase);
    return (heard as Extract<Heard, { kind: 'progress' }>).progress;
  }

  prepare(planJson: string, revision = 1, runId = 'run-1'): void {
    this.channel?.prepare({ runId, revision, planJson });
  }

  override async register(identity: EdgeIdentity): Promise<EdgeRegistration> {
    const registration = await this.#registry.register(identity);
    this.story.record({ kind: 'registered', identity });
    return registration;
  }

  override async deregister(credential: EdgeCredential): Promise<void> {
    await this.#registry.remove(credential.edgeId);
    this.story.record({ kind: 'deregistered' });
  }

  override refused(): void {
    // The rejected edge receives the error.
  }

  override admit(credential: EdgeCredential): EdgeRegistration {
    return this.#registry.admit(credential);
  }

  override connect(_: EdgeRegistration, channel: EdgeChannel): EdgeListener {
    this.channel = channel;
    this.story.record({ kind: 'connected' });
    return {
      heartbeat: (heartbeat) => this.story.record({ kind: 'heartbeat', heartbeat }),
      acked: ({ revision }) => this.story.record({ kind: 'acked', revision }),
      nacked: (_answer, code, reason) => this.story.record({ kind: 'nacked', code, reason }),
      progressed: (progress) => this.story.record({ kind: 'progress', progress }),
      clock: () => undefined,
      closed: () => this.story.record({ kind: 'closed' }),
    };
  }

  override receiveBatch(_: EdgeRegistration, batch: ReceivedBatch): Promise<void> {
    this.story.record({ kind: 'batch', batch });
    return Promise.resolve();
  }
}
