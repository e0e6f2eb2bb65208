export type {
  BatchTally,
  HiveClientOptions,
  HiveOrders,
  HiveUplink,
  LinkEvents,
  TelemetryBatch,
  TlsMaterial,
} from './client/hive-link.ts';
