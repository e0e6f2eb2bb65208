import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ConnectorRuns } from '#graph/connector';
import { ConnectorModule } from '#graph/connector/module';
import { Graph } from '#graph/engine';
import { Policies } from '#graph/policy';
import { PolicyModule } from '#graph/policy/module';
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
      imports: [PolicyModule, ConnectorModule],
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
        {
          provide: ChannelQueues,
          inject: [Graph, Outbox, NotificationConfig, Disk, Clock, Log, Registry],
          useFactory: (
            { leadership }: Graph,
            outbox: Outbox,
            config: NotificationConfig,
            disk: Disk,
            clock: Clock,
            log: Log,
            registry: Registry,
          ): ChannelQueues => {
            const isLeader = (): boolean => leadership.isLeader;
            const { attempted: onAttempt } = new NotificationMetrics(registry, outbox, [
              ...config.channels.keys(),
            ]);
            const retries = new RetrySchedule(config.retry, clock);
            const queues = new ChannelQueues();
            for (const [name, channelConfig] of config.channels) {
              const channel = createChannel(name, channelConfig, { disk, clock });
              queues.set(
                name,
                new ChannelQueue({ name, channel, outbox, retries, log, isLeader, onAttempt }),
              );
            }
            return queues;
          },
        },
        {
          provide: Notifications,
          inject: [Graph, Outbox, ChannelQueues, Policies, ConnectorRuns, Resources],
          useFactory: async (
            { leadership }: Graph,
            outbox: Outbox,
            queues: ChannelQueues,
            policies: Policies,
            runs: ConnectorRuns,
            resources: Resources,
          ): Promise<Notifications> => {
            policies.onEvaluation(outbox);
            runs.onRunEnded(outbox);
            const notifications = new Notifications(outbox, queues);
            resources.add(() => notifications.stop());
            await notifications.start(leadership);
            return notifications;
          },
        },
      ],
      exports: [Notifications],
    };
  }
}

/** The queue of each configured channel, by the channel's name. */
class ChannelQueues extends Map<string, ChannelQueue> {}
