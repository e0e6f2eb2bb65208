/** The files of a new connector of one's own: its module, a test of it, and a sample of its configuration. */
export interface NewFile {
  readonly name: string;
  readonly text: string;
}

export function newConnectorFiles(name: string): readonly NewFile[] {
  return [
    { name: `${name}.mjs`, text: moduleText(name) },
    { name: `${name}.test.mjs`, text: testText(name) },
    { name: `${name}.yaml`, text: sampleText(name) },
  ];
}

function moduleText(name: string): string {
  return `// Machines and their owners, page by page, and after the first run only what has changed.
export const connector = ({ defineConnector, secretField, sourceClient, textField }) =>
  defineConnector({
    name: '${name}',
    about: 'machines of ${name}, and who owns them',
    config: {
      url: textField({ about: 'address of the service' }),
      token_env: secretField('environment variable with the token'),
    },
    steps: () => [
      {
        id: 'machines',
        description: 'machines and their owners',
        emits: { entities: ['host', 'user'], relationships: ['OWNED_BY'] },
        incremental: true,
        async run(context) {
          const { url, token_env: token } = context.config;
          const headers = token === undefined ? {} : { Authorization: \`Bearer \${token.reveal()}\` };
          // Waits as the header Retry-After says, and asks again; context.signal ends it.
          const client = sourceClient({ headers, perSecond: 10 });
          const since = context.cursor === undefined ? '' : \`?since=\${encodeURIComponent(context.cursor)}\`;
          let done = 0;
          for await (const { body } of client.pages(context, \`\${url}/machines\${since}\`)) {
            for (const { id, os, owner, deleted } of body.machines) {
              const host = { type: 'host', key: id };
              if (deleted) {
                context.removed(host);
                continue;
              }
              context.emitEntity({ ...host, class: 'Host', properties: { name: id, os } });
              if (owner === undefined) continue;
              const user = { type: 'user', key: owner };
              context.emitEntity({ ...user, class: 'User' });
              context.emitRelationship({ from: host, verb: 'OWNED_BY', to: user });
            }
            done += body.machines.length;
            context.progress({ done, total: body.total });
            // Kept once this run is complete and its sync is stored.
            if (body.changed !== undefined) context.keepCursor(body.changed);
          }
        },
      },
    ],
  });
`;
}

function testText(name: string): string {
  return `// plexus connector test ${name}
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Runs the work with the address of a service that answers each request by the first fitting path. */
async function withService(answers, work) {
  const asked = [];
  const service = createServer((request, reply) => {
    asked.push(request.url);
    const { status = 200, headers = {}, body = {} } = answers[request.url]?.shift() ?? { status: 404 };
    reply.writeHead(status, headers).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  try {
    await work(\`http://127.0.0.1:\${service.address().port}\`, asked);
  } finally {
    service.close();
  }
}

const WEB = { id: 'web-1', os: 'linux', owner: 'ann' };

export const tests = ({ run, matchers }) => ({
  'reads all pages, also after it was told to wait': () =>
    withService(
      {
        '/machines': [
          { status: 429, headers: { 'Retry-After': '0' } },
          { headers: { Link: '</machines?page=2>; rel="next"' }, body: { machines: [WEB], total: 2 } },
        ],
        '/machines?page=2': [{ body: { machines: [{ id: 'db-1', os: 'linux' }], total: 2, changed: '41' } }],
      },
      async (url) => {
        const result = await run({ config: { url } });

        assert.ok(matchers.toHaveCompleted(result).pass);
        assert.ok(matchers.toHaveRelated(result, 'web-1 OWNED_BY ann').pass);
        assert.deepEqual(
          result.entities.map(({ key }) => key),
          ['web-1', 'db-1', 'ann'],
        );
        assert.deepEqual(result.cursors, { machines: '41' });
      },
    ),

  'reads only what has changed since the last run': () =>
    withService(
      { '/machines?since=41': [{ body: { machines: [{ id: 'web-1', deleted: true }], changed: '42' } }] },
      async (url) => {
        const result = await run({ config: { url }, cursors: { machines: '41' } });

        assert.deepEqual(result.increment.removed, [{ type: 'host', key: 'web-1' }]);
        assert.deepEqual(result.cursors, { machines: '42' });
      },
    ),

  'sends the token, and fails with the status of a refusal': () =>
    withService({ '/machines': [{ status: 401 }] }, async (url) => {
      const result = await run({ config: { url, token_env: 'TOKEN' }, environment: { TOKEN: 'secret-token' } });

      assert.equal(result.report.status, 'failed');
      assert.equal(result.report.steps[0].reason, \`\${url}/machines answered 401\`);
    }),
});
`;
}

function sampleText(name: string): string {
  const variable = `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_TOKEN`;
  return `connector: ./${name}.mjs
config:
  url: https://${name}.corp.example
  token_env: ${variable}
schedule: manual
`;
}
