import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EdgeGateway, HiveGrpcController, HiveGrpcServer, type HiveGrpcServerOptions } from '#load/protocol';
import { RecordingGateway } from './recording-gateway.ts';

@Module({})
class TestHiveModule {}

/** The hive's side of the protocol on its own port, with a recording gateway. */
export class TestHive {
  readonly gateway: RecordingGateway;
  readonly port: number;
  readonly #app: INestMicroservice;

  static async start(
    options: Partial<HiveGrpcServerOptions> & { readonly gateway?: RecordingGateway } = {},
  ): Promise<TestHive> {
    const { gateway = await RecordingGateway.make(), ...server } = options;
    const strategy = new HiveGrpcServer({ host: '127.0.0.1', port: 0, ...server });
    const module = {
      module: TestHiveModule,
      controllers: [HiveGrpcController],
      providers: [{ provide: EdgeGateway, useValue: gateway }],
    };
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    return new TestHive(gateway, app, strategy.boundPort ?? 0);
  }

  private constructor(gateway: RecordingGateway, app: INestMicroservice, port: number) {
    this.gateway = gateway;
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
