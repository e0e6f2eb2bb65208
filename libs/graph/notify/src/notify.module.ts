import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { RunListener } from '#graph/connector';
import { Graph } from '#graph/engine';
import { EvaluationListener } from '#graph/policy';
import { readEnvironment } from '#platform/config';
import { Disk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { createChannel } from './channel/create-channel.ts';
import { NotificationConfig } from './config/notification-config.ts';
import { readNotifications } from './config/read-notifications.ts';
import { ChannelQueue } from './delivery/channel-queue.ts';
import { NotificationMetrics, Notifications } from './delivery/notifications.ts';
import { RetrySchedule } from './delivery/retry-schedule.ts';
import { Outbox } from './outbox/outbox.ts';

export interface NotifyModuleOptions {
  /** File or directory; empty: no notifications. */
  readonly path: string;
}

/** Notifies people of the changes by evaluations and connector runs, to which it listens. */
@Global()
@Module({})
export class NotifyModule {
  static forRoot({ path }: NotifyModuleOptions): DynamicModule {
    return {
      module: NotifyModule,
      providers: [
        {
          provide: NotificationConfig,
          inject: [Disk],
          useFactory: (disk: Disk) =>
            path === '' ? NotificationConfig.empty() : readNotifications(path, disk, readEnvironment()),
        },
        {
          provide: Outbox,
          inject: [Graph, NotificationConfig, Clock, Log],
          useFactory: ({ documents }: Graph, config: NotificationConfig, clock: Clock, log: Log) =>
            Outbox.open({ documents, config, clock, log }),
        },
        { provide: EvaluationListener, useExisting: Outbox },
        { provide: RunListener, useExisting: Outbox },
        {
          provide: Notifications,
          inject: [Graph, Outbox, NotificationConfig, Disk, Clock, Log, Registry, Resources],
          useFactory: startNotifications,
        },
      ],
      exports: [EvaluationListener, RunListener, Notifications],
    };
  }
}

async function startNotifications(
  ...[{ leadership }, outbox, config, disk, clock, log, registry, resources]: [
    Graph,
    Outbox,
    NotificationConfig,
    Disk,
    Clock,
    Log,
    Registry,
    Resources,
  ]
): Promise<Notifications> {
  const isLeader = (): boolean => leadership.isLeader;
  const names = [...config.channels.keys()];
  const { attempted: onAttempt } = new NotificationMetrics(registry, outbox, names);
  const retries = new RetrySchedule(config.retry, clock);
  const queues = Array.from(config.channels, ([name, channelConfig]) => {
    const channel = createChannel(name, channelConfig, { disk, clock });
    return [name, new ChannelQueue({ name, channel, outbox, retries, log, isLeader, onAttempt })] as const;
  });
  const notifications = new Notifications(outbox, new Map(queues));
  resources.add(() => notifications.stop());
  await notifications.start(leadership);
  return notifications;
}
