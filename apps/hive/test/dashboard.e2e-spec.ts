import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { missingOfDashboard } from '#testing';
import { LoadSite } from './support/load-site.ts';

const valueOf = (page: string, series: string): number =>
  Number(new RegExp(`^${series.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(page)?.[1]);

describe('load metrics', () => {
  let site: LoadSite;
  let edgeUrl: string;

  beforeAll(async () => {
    site = await LoadSite.start();
    edgeUrl = await site.startEdge('a', '[metrics]\naddress = "127.0.0.1:0"\n');
  });
  afterAll(() => site.close());

  it('agree between hive and edges, and include all metrics of docs/grafana/load.json', async () => {
    const page = async (url: string) => (await fetch(`${url}/metrics`)).text();
    const before = await page(edgeUrl);
    const { runId } = await site.begin({ stages: [{ duration: '1s', rate: 40 }] });
    await site.until(runId, () => false);
    const [hive, edge] = [await page(site.hive.url), await page(edgeUrl)];

    const run = `{run_id="${runId}"}`;
    const sent = valueOf(hive, `plexus_load_sent_total${run}`);
    expect(valueOf(before, 'plexus_edge_sent_total')).toBe(0);
    expect(sent).toBeGreaterThan(0);
    for (const name of ['planned', 'sent', 'acked', 'included', 'rejected', 'unknown', 'not_sent']) {
      expect([name, valueOf(edge, `plexus_edge_${name}_total`)]).toEqual([
        name,
        valueOf(hive, `plexus_load_${name}_total${run}`),
      ]);
    }
    expect(valueOf(edge, 'plexus_edge_in_flight')).toBe(0);
    expect(valueOf(edge, 'plexus_edge_target_rate')).toBe(0);
    expect(edge).toContain('plexus_edge_latency_seconds_bucket{le="+Inf",latency="send_ack"}');
    expect(missingOfDashboard('load', [hive, edge])).toEqual([]);
  });
});
