import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { LISTEN_BACKLOG, type StopSignal } from '#platform/foundation';
import { type AppDefinition, assembleApp, NEST_OPTIONS } from '#platform/http';

export interface TestAppOptions {
  /** Replaces providers of the app. */
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
  /** Modules in addition to the app's own. */
  readonly modules?: readonly (Type | DynamicModule)[];
}

/** A whole app as run by its program, on a free port, without log output. */
export class TestApp {
  readonly app: NestFastifyApplication;
  readonly url: string;
  /** The app's stop signal, which is ignored here. */
  readonly stopSignal: StopSignal;

  /** Closes the opened resources when a later one fails to open. */
  static async start(
    definition: Omit<AppDefinition, 'logging'>,
    { override = (builder) => builder, modules = [] }: TestAppOptions = {},
  ): Promise<TestApp> {
    const logging = { format: 'json', level: 'silent' } as const;
    const { module, adapter, prepare, resources, stop } = assembleApp({ ...definition, logging });
    const builder = Test.createTestingModule({ imports: [module, ...modules] });
    const app = await resources.closingOnFailure(async () => {
      const testing = await override(builder).compile();
      const made = testing.createNestApplication<NestFastifyApplication>(adapter, NEST_OPTIONS);
      await prepare(made);
      return made;
    });
    await app.listen({ port: 0, host: '127.0.0.1', backlog: LISTEN_BACKLOG });
    resources.started();
    return new TestApp(app, await app.getUrl(), stop);
  }

  private constructor(app: NestFastifyApplication, url: string, stop: StopSignal) {
    this.app = app;
    this.url = url;
    this.stopSignal = stop;
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}
