import { Module } from '@nestjs/common';
import { makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Gauge } from 'prom-client';
import { ConnectorRuns } from '#graph/connector';
import { ConnectorModule } from '#graph/connector/module';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { Policies } from '#graph/policy';
import { PolicyModule } from '#graph/policy/module';
import { ChangeFeed } from '#graph/query';
import { QueryModule } from '#graph/query/module';
import { readEnvironment } from '#platform/config';
import { Disk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { createChannel } from './channel/create-channel.ts';
import { NotificationConfig } from './config/notification-config.ts';
import { readNotifications } from './config/read-notifications.ts';
import { ChangeNoticeList } from './changes/change-notice-list.ts';
import { ChannelQueue } from './delivery/channel-queue.ts';
import { ATTEMPTS, NotificationMetrics } from './delivery/notification-metrics.ts';
import { Notifications } from './delivery/notifications.ts';
import { RetrySchedule } from './delivery/retry-schedule.ts';
import { NotifySettings } from './notify-settings.ts';
import { Outbox } from './outbox/outbox.ts';

/** The queue of each configured channel, by the channel's name. */
class ChannelQueues extends Map<string, ChannelQueue> {}

/** Notifies people of the changes by evaluations and connector runs, to which it listens. */
@Module({
  imports: [PlatformModule, GraphModule, QueryModule, PolicyModule, ConnectorModule],
  providers: [
    settingsOf(NotifySettings),
    {
      provide: NotificationConfig,
      inject: [NotifySettings, Disk],
      useFactory: ({ notifications: path }: NotifySettings, disk: Disk) =>
        path === '' ? NotificationConfig.empty() : readNotifications(path, disk, readEnvironment()),
    },
    {
      provide: Outbox,
      inject: [Graph, NotificationConfig, Clock, Log],
      useFactory: ({ documents }: Graph, config: NotificationConfig, clock: Clock, log: Log) =>
        Outbox.open({ documents, config, clock, log }),
    },
    NotificationMetrics,
    makeCounterProvider({
      name: ATTEMPTS,
      help: 'delivery attempts of notifications, by outcome',
      labelNames: ['channel', 'event', 'outcome'],
      registers: [],
    }),
    makeGaugeProvider({
      name: 'plexus_notifications_pending',
      help: 'notifications that wait to be delivered',
      labelNames: ['channel'],
      registers: [],
      inject: [Outbox, NotificationConfig],
      collect(this: Gauge<'channel'>, outbox: Outbox, { channels }: NotificationConfig) {
        for (const channel of channels.keys()) this.set({ channel }, outbox.waitingFor(channel));
      },
    }),
    {
      provide: ChannelQueues,
      inject: [Graph, Outbox, NotificationConfig, NotificationMetrics, Disk, Clock, Log],
      useFactory: (
        { leadership }: Graph,
        outbox: Outbox,
        { channels, retry }: NotificationConfig,
        { attempted: onAttempt }: NotificationMetrics,
        disk: Disk,
        clock: Clock,
        log: Log,
      ): ChannelQueues => {
        const retries = new RetrySchedule(retry, clock);
        const shared = { outbox, retries, log, isLeader: () => leadership.isLeader, onAttempt };
        const queues = Array.from(channels, ([name, config]) => {
          const channel = createChannel(name, config, disk, clock);
          return [name, new ChannelQueue({ ...shared, name, channel })] as const;
        });
        return new ChannelQueues(queues);
      },
    },
    {
      provide: ChangeNoticeList,
      inject: [Graph, ChangeFeed, Outbox, NotificationConfig, Clock, Log],
      useFactory: (
        graph: Graph,
        changes: ChangeFeed,
        outbox: Outbox,
        { subscriptions }: NotificationConfig,
        clock: Clock,
        log: Log,
      ): ChangeNoticeList => new ChangeNoticeList(subscriptions, { graph, changes, outbox, clock, log }),
    },
    {
      provide: Notifications,
      inject: [Graph, Outbox, ChannelQueues, ChangeNoticeList, Policies, ConnectorRuns, Resources],
      useFactory: async (
        { leadership }: Graph,
        outbox: Outbox,
        queues: ChannelQueues,
        changes: ChangeNoticeList,
        policies: Policies,
        runs: ConnectorRuns,
        resources: Resources,
      ): Promise<Notifications> => {
        policies.onEvaluation(outbox);
        runs.onRunEnded(outbox);
        const notifications = new Notifications(outbox, queues, changes.all);
        resources.add(() => notifications.stop());
        await notifications.start(leadership);
        return notifications;
      },
    },
  ],
  exports: [Notifications],
})
export class NotifyModule {}
