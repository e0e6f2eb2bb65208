/** Every route of the admin server, asked with a key of every role. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { Keyring, parseKeys, PROXY_ACCESS } from '#platform/auth';
import { Secret } from '#platform/foundation';
import { type AccessRow, accessTable, keysOfRoles, pageWith, routesOf, secretOf } from '#testing';
import { TestAdmin } from './support/test-admin.ts';

const PAGE = join(import.meta.dirname, '../../../docs/access.md');
const ROLES = Object.keys(PROXY_ACCESS.roles);
const READS = ['GET', 'HEAD'];
const TOKEN = 'the-token-of-the-configuration';

describe('the keys of an admin server', () => {
  let admin: TestAdmin;

  beforeAll(async () => {
    const named = parseKeys(keysOfRoles(PROXY_ACCESS), 'keys.yaml', PROXY_ACCESS);
    admin = await TestAdmin.scripted({
      admin: { extensions: true, token: new Secret(TOKEN) },
      keys: new Keyring({ apiKey: new Secret(TOKEN), named }),
    });
  });
  afterAll(() => admin.stop());

  const ask = async (method: string, path: string, key?: string): Promise<number> => {
    const headers = {
      'Content-Type': 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    };
    const { status, body } = await admin.ask(method, path, headers);
    if (status === 403)
      expect(body).toMatch(/^\{"error":"Forbidden","message":"\w+ lacks the permission \w+"\}$/);
    if (status === 401) expect(body).toContain('"Unauthorized"');
    return status;
  };

  it('are asked for by every change, each with a decision', () => {
    const changes = routesOf(admin.app).filter(({ method }) => !READS.includes(method));

    expect(changes.filter(({ requirement }) => requirement === undefined)).toEqual([]);
    expect(changes.length).toBeGreaterThan(3);
  });

  it('open what the table says (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const rows: AccessRow[] = [];
    for (const { method, path } of routesOf(admin.app)) {
      // Asking for the stream of events would wait for its end.
      const isRead = READS.includes(method);
      const asked = path.replaceAll(/:\w+/g, 'none');
      const cells: string[] = [];
      for (const role of ROLES) {
        if (isRead) cells.push('everyone');
        else {
          expect([path, await ask(method, asked), await ask(method, asked, 'none')]).toEqual([
            path,
            401,
            401,
          ]);
          cells.push((await ask(method, asked, secretOf(role))) === 403 ? 'no' : 'yes');
        }
      }
      rows.push({ what: `\`${method} ${path}\``, cells });
    }

    const { page, wanted } = await pageWith(PAGE, 'proxy-routes', accessTable(['Route', ...ROLES], rows));
    expect(page).toBe(wanted);
  });

  it('are valid beside the token, which may do everything', async () => {
    expect(await ask('POST', '/admin/v1/reload', TOKEN)).toBe(200);
  });
});
