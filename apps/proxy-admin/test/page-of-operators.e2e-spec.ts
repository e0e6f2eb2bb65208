import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { EXTENSION_ENDPOINTS, METRIC_FAMILIES } from '#proxy/admin';
import { MetricsPage } from '#proxy/testing';
import { TestAdmin } from './support/test-admin.ts';

const PAGE = new URL('../../../docs/proxy.md', import.meta.url);

const code = (text: string) => `\`${text}\``;
const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');

/** The metrics of the process, from the running server. */
async function processFamilies(): Promise<readonly (readonly string[])[]> {
  const admin = await TestAdmin.scripted();
  const { body } = await admin.ask('GET', '/stats').finally(() => admin.stop());
  const own = new Set(METRIC_FAMILIES.map(({ name }) => name));
  return new MetricsPage(body).families
    .filter(({ name }) => !own.has(name))
    .map(({ name, type, help }) => [code(name), type, help.replace(/\.$/, '')]);
}

/** The generated parts of the page, by the name of their marks. */
async function parts(): Promise<Readonly<Record<string, string>>> {
  return {
    extensions: table(
      ['request', 'what it does'],
      EXTENSION_ENDPOINTS.map(({ method, path, description }) => [code(`${method} ${path}`), description]),
    ),
    metrics: table(
      ['name', 'type', 'labels', 'meaning'],
      METRIC_FAMILIES.map(({ name, type, labels, help }) => [
        code(name),
        type,
        labels.map(code).join(', '),
        help,
      ]),
    ),
    // Other systems provide fewer process metrics.
    ...(process.platform === 'linux' && {
      process: table(['name', 'type', 'meaning'], await processFamilies()),
    }),
  };
}

/** The text without the formatting of tables. */
const plain = (text: string) => text.replaceAll(/ *\| */g, '|').replaceAll(/\|-+/g, '|---');

describe('docs/proxy.md', () => {
  it('documents every extension and metric of the server (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const page = await readFile(PAGE, 'utf8');
    const wanted = Object.entries(await parts()).reduce((text, [name, part]) => {
      const marks = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's');
      return text.replace(marks, () => `<!-- ${name} -->\n\n${part}\n\n<!-- /${name} -->`);
    }, page);
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, wanted);

    expect(plain(await readFile(PAGE, 'utf8'))).toBe(plain(wanted));
    expect(wanted).toContain('plexus_endpoint_request_duration_seconds');
  });

  it('mentions no unknown metric', async () => {
    const page = await readFile(PAGE, 'utf8');
    const known = new Set((await processFamilies()).map(([name]) => name?.replaceAll('`', '')));
    for (const { name } of METRIC_FAMILIES) known.add(name);

    const named = Array.from(page.matchAll(/\bplexus_[a-z0-9_]+(?!\*)\b/g), ([name]) => name);

    expect(named.filter((name) => !known.has(name) && !name.endsWith('_'))).toEqual([]);
  });
});
