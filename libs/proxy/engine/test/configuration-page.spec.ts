import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { referenceRows, referenceTable } from '#platform/config';
import { ConfigFiles } from '../src/config/config-files.ts';
import { parseProxyConfig } from '../src/config/load/parse-proxy-config.ts';
import { proxyShape } from '../src/config/proxy-shape.ts';

const PAGE = new URL('../../../../docs/proxy-configuration.md', import.meta.url);
const LISTS = ['listeners', 'clusters', 'routes'];
const context = { files: new ConfigFiles('/etc/plexus', new Map()), environment: {} };

/** The generated parts of the page, by the name of their marks. */
function tables(): Readonly<Record<string, string>> {
  const rows = referenceRows(proxyShape(context));
  const listOf = (key: string): string => LISTS.find((list) => key.startsWith(`${list}[].`)) ?? 'top';
  const byList = Map.groupBy(rows, ({ key }) => listOf(key));
  return Object.fromEntries(Array.from(byList, ([list, some]) => [list, referenceTable(some)]));
}

function withTables(page: string): string {
  return Object.entries(tables()).reduce((text, [name, table]) => {
    const marks = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's');
    return text.replace(marks, () => `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`);
  }, page);
}

describe('docs/proxy-configuration.md', () => {
  it('documents every key (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const page = await readFile(PAGE, 'utf8');
    const wanted = withTables(page);
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, wanted);

    expect(await readFile(PAGE, 'utf8')).toBe(wanted);
    expect(Object.keys(tables()).sort()).toEqual(['clusters', 'listeners', 'routes', 'top']);
  });

  it('has a valid example', async () => {
    const page = await readFile(PAGE, 'utf8');
    const examples = Array.from(page.matchAll(/```yaml\n(.*?)```/gs), ([, text = '']) => text);

    const configs = examples.map((text) =>
      parseProxyConfig(text, { ...context, file: 'proxy.yaml', nowMs: 0 }),
    );

    expect(configs).toHaveLength(1);
    expect(configs[0]?.warnings).toEqual([]);
  });
});
