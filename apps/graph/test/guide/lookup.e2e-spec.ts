import { describe, expect, it } from '@jest/globals';
import { TestService } from '../support/test-service.ts';
import { LookupModule } from './lookup.module.ts';

describe('the look-ups', () => {
  it('are counted on the page of the metrics, by each service for itself', async () => {
    const pages: (string | undefined)[] = [];
    const first = await TestService.start({ modules: [LookupModule] });
    const second = await TestService.start({ modules: [LookupModule] });
    await first.call('GET', '/v1/lookup');

    for (const service of [first, second]) {
      const { text } = await service.call('GET', '/metrics');
      pages.push(text.split('\n').find((line) => line.startsWith('plexus_lookups_total')));
      await service.stop();
    }

    expect(pages).toEqual(['plexus_lookups_total 1', 'plexus_lookups_total 0']);
  });
});
