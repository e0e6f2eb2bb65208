import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FactoryProvider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Metric, Registry } from 'prom-client';
import { Graph } from '../src/graph.ts';
import { GRAPH_METRICS } from '../src/graph-metrics.ts';
import { GraphHarness } from './graph-harness.ts';

const WEB = { type: 'host', key: 'web-01' };
const NGINX = { type: 'service', key: 'nginx' };

let harness: GraphHarness;
let registry: Registry;

beforeEach(async () => {
  harness = await GraphHarness.opened();
  registry = new Registry();
  const graph = { provide: Graph, useValue: harness.graph };
  const module = await Test.createTestingModule({ providers: [graph, ...GRAPH_METRICS] }).compile();
  for (const provider of GRAPH_METRICS as readonly FactoryProvider[])
    registry.registerMetric(module.get<Metric>(provider.provide));
});
afterEach(() => harness.close());

/** The current metrics by name. */
async function scraped(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [, name = '', value] of (await registry.metrics()).matchAll(/^(\w+) (\S+)$/gm)) {
    found[name] = Number(value);
  }
  return found;
}

describe('the metrics of a graph', () => {
  it('equal its statistics at each read', async () => {
    for (const entities of [[WEB], [WEB, NGINX]]) {
      const { graph } = harness;
      await graph.write({
        entities: entities.map((name) => ({ ...name, properties: {} })),
        relationships: entities.length < 2 ? [] : [{ from: WEB, verb: 'RUNS', to: NGINX, properties: {} }],
      });
      const { storage, ...stats } = graph.stats();

      expect(await scraped()).toEqual({
        plexus_entities: stats.total_entities,
        plexus_relationships: stats.total_relationships,
        plexus_snapshot_version: stats.snapshot_version,
        plexus_snapshots: graph.openSnapshots,
        plexus_writable: 1,
        plexus_memtable_bytes: storage.memtable_bytes,
        plexus_segments: storage.segments,
        plexus_segment_bytes: storage.segment_bytes,
        plexus_segment_damaged_blocks: storage.damaged_blocks,
        plexus_segment_scrubbed_bytes_total: storage.scrubbed_bytes,
        plexus_wal_file_bytes: storage.wal_bytes,
        plexus_wal_files: storage.wal_segments,
        plexus_compactions_total: storage.compactions,
        plexus_wal_appends_total: storage.appends,
        plexus_wal_syncs_total: storage.syncs,
      });
      expect(stats.total_entities).toBe(entities.length);
    }
  });

  it('report a store as not writable after a disk failure', async () => {
    harness.disk.plan({ failAt: { call: 1, code: 'EIO' } });
    const lost = harness.graph.write({ entities: [{ ...WEB, properties: {} }], relationships: [] });
    await expect(lost).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    expect(await scraped()).toMatchObject({ plexus_writable: 0 });
  });

  it('have help texts', async () => {
    const text = await registry.metrics();

    for (const name of Object.keys(await scraped())) expect(text).toMatch(new RegExp(`# HELP ${name} \\w`));
  });
});
