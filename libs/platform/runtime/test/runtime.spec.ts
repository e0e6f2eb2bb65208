import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { PinoLogger } from 'nestjs-pino';
import pino from 'pino';
import { Clock, Resources, StopSignal } from '#platform/foundation';
import { Log } from '#platform/observability';
import { constructed, NestLog, ProgramSettings, settingsOf } from '#platform/runtime';
import { PlatformModule, ProgramModule } from '#platform/runtime/module';

class LampSettings {
  readonly watts: number = 40;
}

class Lamp {
  readonly clock: Clock;
  readonly settings: LampSettings;

  constructor(clock: Clock, settings: LampSettings) {
    this.clock = clock;
    this.settings = settings;
  }
}

@Injectable()
class Light {
  readonly resources: Resources;
  readonly log: Log;

  constructor(@Inject(Resources) resources: Resources, @Inject(Log) log: Log) {
    this.resources = resources;
    this.log = log;
  }
}

@Module({
  imports: [PlatformModule],
  providers: [settingsOf(LampSettings), constructed(Lamp, [Clock, LampSettings]), Light],
})
class LampModule {}

const logger = pino({ level: 'silent' });

/** What reaches the log. nestjs-pino has one for the process, which another program may have given. */
function written(level: 'debug' | 'error'): unknown[][] {
  const calls: unknown[][] = [];
  jest.spyOn(PinoLogger.root, level).mockImplementation((...args: unknown[]) => void calls.push(args));
  return calls;
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a module without a program', () => {
  it('has the defaults of its settings, and resources that it closes once', async () => {
    const module = await Test.createTestingModule({ imports: [LampModule] }).compile();
    let closed = 0;
    module.get(Light).resources.add(() => closed++);

    const { watts } = module.get(Lamp).settings;
    await module.close();

    expect([watts, closed]).toEqual([40, 1]);
  });
});

describe('a module of a program', () => {
  const resources = new Resources();
  const stop = new StopSignal();
  const settings = new ProgramSettings().with(LampSettings, { watts: 60 });
  const root = { imports: [ProgramModule.forRoot({ logger, resources, stop, settings }), LampModule] };

  it('has the settings, the resources and the log that the program has given', async () => {
    const module = await Test.createTestingModule(root).compile();
    let closed = 0;
    resources.add(() => closed++);
    const light = module.get(Light);

    const errors = written('error');
    light.log.error({ event: 'lamp.broken', watts: 60 }, 'lamp broken');
    await module.close();

    expect(module.get(Lamp).settings).toEqual({ watts: 60 });
    expect([light.resources, closed]).toEqual([resources, 1]);
    expect(light.log).toBeInstanceOf(PinoLogger);
    expect(errors).toEqual([[{ event: 'lamp.broken', watts: 60 }, 'lamp broken']]);
  });

  it("logs Nest's lines about modules and routes at the level debug, and its errors as errors", async () => {
    const module = await Test.createTestingModule(root).compile();
    const nest = module.get(NestLog);
    const [debug, errors] = [written('debug'), written('error')];

    nest.log('LampModule dependencies initialized', 'InstanceLoader');
    nest.error('no such lamp', 'ExceptionsHandler');

    expect(debug).toEqual([[{ context: 'InstanceLoader' }, 'LampModule dependencies initialized']]);
    expect(errors).toEqual([[{ context: 'ExceptionsHandler' }, 'no such lamp']]);
  });
});
