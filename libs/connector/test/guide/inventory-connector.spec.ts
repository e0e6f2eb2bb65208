import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connectorMatchers, runConnector } from '#connector';
import { inventoryConnector } from './inventory-connector.ts';

it('reads machines and their owners', async () => {
  const service = createServer((request, reply) => {
    const isKnown = request.headers.authorization === 'Bearer secret-token';
    reply.writeHead(isKnown ? 200 : 401).end(JSON.stringify([{ id: 'web-1', os: 'linux', owner: 'ann' }]));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const address = service.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const config = { url: `http://127.0.0.1:${port}`, token_env: 'TOKEN', retries: 0 };

  const run = await runConnector(inventoryConnector, { config, environment: { TOKEN: 'secret-token' } });
  const refused = await runConnector(inventoryConnector, { config, environment: { TOKEN: 'another' } });

  service.close();
  expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
  expect(connectorMatchers.toHaveRelated(run, 'ann OWNS web-1')).toMatchObject({ pass: true });
  expect(refused.report).toMatchObject({
    status: 'failed',
    steps: [{ reason: 'the service answered 401' }, {}],
  });
});
