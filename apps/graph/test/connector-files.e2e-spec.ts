/** Connector files while the service runs: the real program with SIGHUP, and the routes that edit them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectorFiles } from '#graph/connector';
import { keyLine, secretOf } from '#testing';
import { runProgram, startServer } from './support/built-program.ts';
import { TestService } from './support/test-service.ts';

const HOSTS = 'connector: synthetic\nconfig: { hosts: 3, services: 1, users: 1 }\n';
const MORE = 'connector: synthetic\nconfig: { hosts: 5, services: 1, users: 1 }\n';
const BAD = 'connector: synthetic\nconfig: { hots: 5 }\n';

interface FileReply {
  readonly name: string;
  readonly connector_id: string | null;
  readonly state: string;
  readonly fault: { readonly line: number | null; readonly message: string } | null;
}
interface ListReply {
  readonly editable: boolean;
  readonly fault: string | null;
  readonly files: readonly FileReply[];
}
interface ConnectorsReply {
  readonly connectors: readonly { readonly id: string; readonly file: FileReply }[];
}

const listReply = (answer: object): ListReply => answer as ListReply;
const startedRun = (answer: object) => answer as { readonly run_id: string };
const checkReply = (answer: object) => answer as { faults: object[]; warnings: object[] };

describe('connector files of a running service', () => {
  let directory: string;
  let connectors: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-files-'));
    connectors = join(directory, 'connectors');
    await mkdir(connectors);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const put = (name: string, text: string): Promise<void> => writeFile(join(connectors, name), text);

  it('are read again on SIGHUP: a changed one is used, a faulty one keeps its connector and says so', async () => {
    await put('estate.yaml', HOSTS);
    const server = await startServer(['--data-dir', join(directory, 'data'), '--connectors', connectors]);
    const asked = async <T>(path: string): Promise<T> => (await (await fetch(server.url + path)).json()) as T;
    const listed = async () => (await asked<ConnectorsReply>('/v1/connectors')).connectors;

    await put('estate.yaml', BAD);
    await put('new.yaml', MORE);
    server.child.kill('SIGHUP');
    await server.lineWith('connector.files_read', 1);
    const faulty = await listed();
    const health = await asked<object>('/v1/health');
    await put('estate.yaml', MORE);
    await unlink(join(connectors, 'new.yaml'));
    server.child.kill('SIGHUP');
    await server.lineWith('connector.files_read', 2);
    const mended = await listed();
    const code = await server.end('SIGTERM');

    expect(faulty.map(({ id, file }) => [id, file.state])).toEqual([
      ['estate', 'stale'],
      ['new', 'current'],
    ]);
    expect(faulty[0]?.file.fault).toMatchObject({ line: 2, column: 11 });
    expect(faulty[0]?.file.fault?.message).toContain('hots');
    expect(health).toMatchObject({ status: 'healthy', faulty_connector_files: 1 });
    expect(mended.map(({ id, file }) => [id, file.state])).toEqual([['estate', 'current']]);
    expect(code).toBe(0);
  });

  it('need a directory to be editable', async () => {
    const { code, stderr } = await runProgram(['serve', '--port', '0', '--connectors-editable']);

    expect([code, stderr]).toEqual([2, expect.stringContaining('expected --connectors <dir>')]);
  });

  describe('over HTTP', () => {
    let service: TestService;
    let audit: string;
    const start = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
      audit = join(directory, 'audit.jsonl');
      service = await TestService.start({
        environment: {
          PLEXUS_CONNECTORS: connectors,
          PLEXUS_CONNECTORS_EDITABLE: 'on',
          PLEXUS_AUDIT: audit,
          ...more,
        },
      });
    };
    afterEach(() => service.stop());

    const path = (name: string): string => `/v1/connector-files/${name}`;
    const textOf = async (name: string) => {
      const reply = await service.call('GET', path(name));
      return { status: reply.status, ...(JSON.parse(reply.text) as { text: string; etag: string }) };
    };
    const written = async (name: string, text: string, headers: Record<string, string>) => {
      const reply = await service.call('PUT', path(name), { text }, headers);
      return { status: reply.status, body: JSON.parse(reply.text) as FileReply & Record<string, unknown> };
    };
    const added = (name: string, text: string) => written(name, text, { 'If-None-Match': '*' });
    const list = async (): Promise<ListReply> =>
      JSON.parse((await service.call('GET', '/v1/connector-files')).text) as ListReply;

    it('are added, changed by the tag that was read, run, and removed; their data stays', async () => {
      await start();
      const made = await added('estate.yaml', HOSTS);
      const again = await added('estate.yaml', HOSTS);
      const first = await textOf('estate.yaml');
      const changed = await written('estate.yaml', MORE, { 'If-Match': first.etag });
      const late = await written('estate.yaml', HOSTS, { 'If-Match': first.etag });
      const none = await written('estate.yaml', HOSTS, {});
      const run = startedRun(await service.json(202, 'POST', '/v1/connectors/estate/run'));
      while (
        (await service.call('GET', `/v1/connectors/runs/${run.run_id}`)).text.includes('"ended_at":null')
      );
      const { etag } = await textOf('estate.yaml');
      const removed = await service.call('DELETE', path('estate.yaml'), undefined, { 'If-Match': etag });

      expect(made).toMatchObject({ status: 200, body: { connector_id: 'estate', state: 'current' } });
      expect([again.status, again.body['error']]).toEqual([412, 'PRECONDITION_FAILED']);
      expect([changed.status, late.status, none.status]).toEqual([200, 412, 400]);
      expect(removed.status).toBe(204);
      expect((await list()).files).toEqual([]);
      expect((await service.query('FIND host')).count).toBe(5);
      expect(await readdir(connectors)).toEqual([]);
      const lines = await readFile(audit, 'utf8');
      expect(lines.match(/"target":"connector file estate\.yaml"/g)).toHaveLength(3);
    });

    it('notice what was changed on the disk since, and keep the mode 0600', async () => {
      await start();
      await added('estate.yaml', HOSTS);
      const { etag } = await textOf('estate.yaml');
      await put('estate.yaml', `# by hand\n${HOSTS}`);
      const late = await written('estate.yaml', MORE, { 'If-Match': etag });

      expect([late.status, late.body['details']]).toEqual([
        412,
        { etag: (await textOf('estate.yaml')).etag },
      ]);
      expect(await readFile(join(connectors, 'estate.yaml'), 'utf8')).toMatch(/^# by hand/);
      expect((await stat(join(connectors, 'estate.yaml'))).mode & 0o777).toBe(0o600);
    });

    it('may be links, which are read like files at the start and again, and are not edited', async () => {
      const outside = join(directory, 'mounted.yaml');
      await writeFile(outside, HOSTS);
      await symlink(outside, join(connectors, 'mounted.yaml'));
      await start();
      const first = await service.json(200, 'GET', '/v1/connector-files');
      const again = await service.json(200, 'POST', '/v1/connector-files/reload');

      const file = { name: 'mounted.yaml', state: 'current', fault: null };
      expect(first).toMatchObject({ files: [file] });
      expect(again).toMatchObject({ files: [file] });
    });

    it('are never outside of the directory, links, or too large', async () => {
      await start();
      const outside = join(directory, 'outside.yaml');
      await writeFile(outside, HOSTS);
      await symlink(outside, join(connectors, 'linked.yaml'));
      const names = [
        '..%2foutside.yaml',
        '%2e%2e%2foutside.yaml',
        '%2fetc%2fx.yaml',
        '.hidden.yaml',
        'x.mjs',
      ];
      const refused = await Promise.all(
        [...names, 'a%00.yaml', 'ö.yaml'].map(async (name) => (await added(name, HOSTS)).status),
      );
      const link = await added('linked.yaml', MORE);
      const shown = await service.call('GET', path('linked.yaml'));
      const large = await added('large.yaml', `${HOSTS}# ${'x'.repeat(262_144)}`);

      expect(new Set(refused)).toEqual(new Set([400]));
      expect([link.status, shown.status]).toEqual([409, 409]);
      expect(large.status).toBe(413);
      expect(await readFile(outside, 'utf8')).toBe(HOSTS);
      expect(await readdir(connectors)).toEqual(['linked.yaml']);
    });

    it('hold no secrets: one is refused by its place, never repeated and never shown', async () => {
      await start({ PLEXUS_API_KEY: '' });
      const ldap = (more: string): string =>
        `connector: ldap\nconfig:\n  url: ldap://127.0.0.1:1\n  base_dn: dc=x\n  ${more}\n`;
      const literals = [
        ldap('password_env: hunter2'),
        ldap('password_env: "hunter2!"'),
        ldap('password: hunter2'),
        'connector: json\nconfig: { url: "https://bob:hunter2@127.0.0.1/x", mapping: {} }\n',
        'connector: json\nconfig: { url: "https://x/", headers_env: { Authorization: "Bearer hunter2" } }\n',
        ldap('password_env: PLEXUS_API_KEY'),
      ];
      const replies = await Promise.all(
        literals.map((text) => service.call('PUT', path('s.yaml'), { text }, { 'If-None-Match': '*' })),
      );
      for (const [index, text] of literals.slice(0, 5).entries()) await put(`kept-${index}.yaml`, text);
      await put('broken.yaml', 'connector: [\npassword: hunter2\n');
      const shown = await Promise.all(
        (await readdir(connectors)).map((name) => service.call('GET', path(name))),
      );
      const reloaded = await service.call('POST', '/v1/connector-files/reload');
      const listed = await service.call('GET', '/v1/connectors');

      expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
      expect(shown.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 409]);
      for (const { text } of [...replies, ...shown, reloaded, listed]) expect(text).not.toContain('hunter2');
      expect(replies.at(-1)?.text).toContain('secret of the service itself');
      expect(await readFile(audit, 'utf8')).not.toContain('hunter2');
    });

    it('are checked with the positions of all faults, and name no module of the machine', async () => {
      await start();
      const check = async (text: string): Promise<{ faults: object[]; warnings: object[] }> =>
        checkReply(await service.json(200, 'POST', '/v1/connector-files/check', { name: 'a.yaml', text }));

      const several = await check(
        'connector: synthetic\nschedul: manual\nconfig:\n  hosts: many\n  usrs: 1\n',
      );
      const unknown = await check('connector: ldp\n');
      const broken = await check('connector: [\n');
      const module = await check('connector: ./evil.mjs\n');
      const unset = await check(
        'connector: ldap\nconfig:\n  url: ldap://127.0.0.1:1\n  base_dn: dc=x\n  bind_dn: cn=a\n  password_env: NOT_SET_HERE\n',
      );

      expect(several.faults).toEqual([
        { line: 2, column: 1, message: expect.stringContaining('did you mean schedule') },
        {
          line: 4,
          column: 10,
          message: expect.stringMatching(/^config\.hosts: expected a whole number/),
        },
        { line: 5, column: 3, message: expect.stringContaining('did you mean users') },
      ]);
      expect(unknown.faults).toEqual([{ line: 1, column: 12, message: expect.stringContaining('ldap') }]);
      expect(broken.faults).toHaveLength(1);
      expect(module.faults).toEqual([
        { line: 1, column: 12, message: expect.stringContaining('a module is code') },
      ]);
      expect(unset).toMatchObject({ faults: [], warnings: [{ line: 6, column: 17 }] });
    });

    it('are not changed without --connectors-editable, and are read again by a route', async () => {
      await put('estate.yaml', HOSTS);
      await start({ PLEXUS_CONNECTORS_EDITABLE: 'off' });
      const { etag } = await textOf('estate.yaml');
      const refused = await Promise.all([
        added('new.yaml', HOSTS),
        written('estate.yaml', MORE, { 'If-Match': etag }),
      ]);
      const removal = await service.call('DELETE', path('estate.yaml'), undefined, { 'If-Match': etag });
      await put('estate.yaml', MORE);
      await put('twin.yaml', `id: estate\n${HOSTS}`);
      const reloaded = listReply(await service.json(200, 'POST', '/v1/connector-files/reload'));

      for (const { status, body } of refused)
        expect([status, body['message']]).toEqual([501, expect.stringContaining('--connectors-editable')]);
      expect(removal.status).toBe(501);
      expect(reloaded.files).toMatchObject([
        { name: 'estate.yaml', state: 'current', connector_id: 'estate' },
        { name: 'twin.yaml', state: 'faulty', fault: { message: 'the id estate is taken by estate.yaml' } },
      ]);
    });

    it('keep their connectors while the directory cannot be read', async () => {
      await put('estate.yaml', HOSTS);
      await start();
      await rm(connectors, { recursive: true });
      const gone = listReply(await service.json(200, 'POST', '/v1/connector-files/reload'));
      await mkdir(connectors);
      const empty = listReply(await service.json(200, 'POST', '/v1/connector-files/reload'));

      expect(gone).toMatchObject({
        fault: expect.stringContaining('ENOENT'),
        files: [{ connector_id: 'estate' }],
      });
      expect(empty).toMatchObject({ fault: null, files: [] });
    });

    it('keep a connector that can run in place of one whose variable is not set', async () => {
      await put('estate.yaml', HOSTS);
      await start();
      const ldap =
        'connector: ldap\nconfig: { url: "ldap://127.0.0.1:1", base_dn: dc=x, bind_dn: cn=a, password_env: NO_SUCH }\n';
      await put('estate.yaml', ldap);
      await put('other.yaml', ldap);
      await service.get(ConnectorFiles).reload();

      const { files } = await list();
      expect(files).toMatchObject([
        {
          name: 'estate.yaml',
          state: 'stale',
          fault: { message: expect.stringContaining('NO_SUCH') },
        },
        { name: 'other.yaml', state: 'current' },
      ]);
    });

    it('are for administrators', async () => {
      const keys = join(directory, 'keys.yaml');
      await writeFile(keys, ['keys:', keyLine('editor'), keyLine('admin'), ''].join('\n'));
      await start({ PLEXUS_KEYS: keys });
      const asked = async (method: string, route: string, role: string): Promise<number> =>
        (await service.call(method, route, undefined, { Authorization: `Bearer ${secretOf(role)}` })).status;

      expect(await asked('POST', '/v1/connector-files/reload', 'editor')).toBe(403);
      expect(await asked('GET', '/v1/connector-files', 'editor')).toBe(403);
      expect(await asked('POST', '/v1/connector-files/reload', 'admin')).toBe(200);
    });
  });
});
