/** The load generator for gRPC: several connections, each with one call at a time. */
import { serveParent } from '../harness/child-process.ts';
import { percentile } from '../harness/stopwatch.ts';
import type { LoadFigures } from '../http/load-generator.ts';
import { QueryCaller } from './query-caller.ts';

export interface GrpcLoad {
  readonly port: number;
  readonly connections: number;
  readonly leastMs: number;
  readonly pql: string;
  /** Values of `$1`, used in turn. */
  readonly values: readonly string[];
}

export type GrpcLoadProtocol = {
  readonly load: readonly [GrpcLoad, LoadFigures];
  /** The number of items for the first value. */
  readonly count: readonly [GrpcLoad, number];
};

serveParent<GrpcLoadProtocol>({ load: run, count });

const requestOf = ({ pql, values }: GrpcLoad, at: number) => ({
  pql,
  params: { 1: { stringValue: values[at % values.length] ?? '' } },
});

async function count(load: GrpcLoad): Promise<number> {
  const caller = new QueryCaller(load.port);
  const items = await caller.count(requestOf(load, 0));
  caller.close();
  return items;
}

/** Ends when every call started in time has been answered. */
async function run(load: GrpcLoad): Promise<LoadFigures> {
  const times: number[] = [];
  let sent = 0;
  let bytes = 0;
  const start = performance.now();
  const keepAsking = async (): Promise<void> => {
    const caller = new QueryCaller(load.port);
    while (performance.now() - start < load.leastMs) {
      const sentAt = performance.now();
      const replyBytes = await caller.ask(requestOf(load, sent++));
      bytes += replyBytes;
      times.push(performance.now() - sentAt);
    }
    caller.close();
  };
  await Promise.all(Array.from({ length: load.connections }, keepAsking));
  return {
    requestsPerSecond: (times.length * 1_000) / (performance.now() - start),
    p99Ms: percentile(Float64Array.from(times).sort(), 0.99),
    bytesPerReply: bytes / times.length,
  };
}
