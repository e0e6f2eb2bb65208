/** The audit trail of the admin server: who changed what, and who was refused. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditTrail, openAudit } from '#platform/audit';
import { openKeys, PROXY_ACCESS } from '#platform/auth';
import { runProgram } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { Secret } from '#platform/foundation';
import { keyLine, secretOf } from '#testing';
import { proxyProgram } from '../src/cli/program.ts';
import { TestAdmin } from './support/test-admin.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const TOKEN = 'correct-horse-battery-staple';

describe('the audit trail of an admin server', () => {
  let directory: string;
  let path: string;
  let trail: AuditTrail | undefined;
  let admin: TestAdmin;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-proxy-audit-'));
    path = join(directory, 'audit.jsonl');
    const file = join(directory, 'keys.yaml');
    await writeFile(
      file,
      ['keys:', keyLine('editor'), keyLine('reader'), 'roles:', '  reader: [reload]', ''].join('\n'),
    );
    const token = new Secret(TOKEN);
    const keys = await openKeys({ disk: new NodeDisk(), path: file, model: PROXY_ACCESS, apiKey: token });
    trail = await openAudit({ audit: path, auditBestEffort: false });
    admin = await TestAdmin.scripted({
      admin: { extensions: true, token },
      ...(keys && { keys: keys.keyring }),
      ...(trail && { audit: trail }),
    });
    admin.source.endpoints.add('api a:1');
  });
  afterEach(async () => {
    await admin.stop();
    await trail?.close();
    await rm(directory, { recursive: true });
  });

  const change = async (method: string, url: string, key: string): Promise<number> => {
    const { status } = await admin.ask(method, url, { ...JSON_TYPE, Authorization: `Bearer ${key}` });
    return status;
  };
  const told = async (): Promise<readonly unknown[]> =>
    (await readFile(path, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .map(({ who, what, target, outcome, status }) => [who, what, target, outcome, status]);

  it('has each change and each refusal with its caller', async () => {
    const reload = '/admin/v1/reload';
    const endpoint = '/admin/v1/endpoints/api/a:1';
    const codes = [
      await change('POST', reload, TOKEN),
      await change('DELETE', endpoint, secretOf('editor')),
      await change('DELETE', endpoint, secretOf('reader')),
      await change('POST', reload, 'wrong'),
      await change('POST', '/admin/v1/endpoints/api/b:2', secretOf('editor')),
    ];
    admin.source.reloadResult = { result: 'rejected', faults: [] };
    codes.push(
      await change('POST', reload, secretOf('reader')),
      await change('POST', '/admin/v1/drain', TOKEN),
    );
    await admin.ask('GET', '/admin/v1/clusters');

    const ofEndpoint = '/admin/v1/endpoints/:cluster/:address';
    expect(codes).toEqual([200, 200, 403, 401, 404, 422, 202]);
    expect(await told()).toEqual([
      ['API key', `POST ${reload}`, 'configuration', 'done', undefined],
      ['editor', `DELETE ${ofEndpoint}`, 'api a:1', 'done', undefined],
      ['reader', `DELETE ${ofEndpoint}`, undefined, 'refused', 403],
      ['nobody', `POST ${reload}`, undefined, 'refused', 401],
      ['editor', `POST ${ofEndpoint}`, 'api b:2', 'done', undefined],
      ['editor', `POST ${ofEndpoint}`, 'api b:2', 'failed', undefined],
      ['reader', `POST ${reload}`, 'configuration', 'done', undefined],
      ['reader', `POST ${reload}`, 'configuration', 'failed', undefined],
      ['API key', 'POST /admin/v1/drain', 'proxy', 'done', undefined],
    ]);
  });

  it('is verified by the program', async () => {
    await change('POST', '/admin/v1/reload', TOKEN);
    await trail?.close();
    trail = undefined;

    const whole = await runProgram(proxyProgram(), ['audit', 'verify', path]);
    await writeFile(path, (await readFile(path, 'utf8')).replace('API key', 'nobody'));
    const changed = await runProgram(proxyProgram(), ['audit', 'verify', path]);

    expect([whole, changed === 0]).toEqual([0, false]);
  });
});
