import { expect, it } from '@jest/globals';
import { missingOfDashboard } from '#testing';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

it('docs/grafana/graph.json uses only existing series', async () => {
  const service = await TestService.start();
  try {
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.query('FIND host');
    await service.json(200, 'POST', '/v1/policies', { rules: [{ id: 'a', query: 'FIND host' }] });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});
    const { text } = await service.call('GET', '/metrics');

    expect(missingOfDashboard('graph', [text])).toEqual([]);
    expect(missingOfDashboard('graph', [text.replaceAll('route=', 'way=')])).not.toEqual([]);
  } finally {
    await service.stop();
  }
});
