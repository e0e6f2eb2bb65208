import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EdgeDesk, HiveGrpcController, HiveGrpcServer, type HiveGrpcServerOptions } from '#load/protocol';
import { RecordingDesk } from './recording-desk.ts';

@Module({})
class TestHiveModule {}

/** The hive's side of the protocol on a port of its own, with a desk that records. */
export class TestHive {
  readonly desk: RecordingDesk;
  readonly port: number;
  readonly #app: INestMicroservice;

  static async start(
    options: Partial<HiveGrpcServerOptions> & { readonly desk?: RecordingDesk } = {},
  ): Promise<TestHive> {
    const { desk = await RecordingDesk.make(), ...server } = options;
    const strategy = new HiveGrpcServer({ host: '127.0.0.1', port: 0, ...server });
    const module = {
      module: TestHiveModule,
      controllers: [HiveGrpcController],
      providers: [{ provide: EdgeDesk, useValue: desk }],
    };
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    return new TestHive(desk, app, strategy.boundPort ?? 0);
  }

  private constructor(desk: RecordingDesk, app: INestMicroservice, port: number) {
    this.desk = desk;
    this.port = port;
    this.#app = app;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  stop(): Promise<void> {
    return this.#app.close();
  }
}
