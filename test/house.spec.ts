import { describe, expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ERROR_CATALOGUE } from '#platform/foundation';

const ROOT = join(import.meta.dirname, '..');
const README_LINES_MAX = 40;
const ADR_LINES_MAX = 60;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const lineCount = (path: string) => read(path).trimEnd().split('\n').length;
const find = (pattern: string) =>
  globSync(pattern, {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist|plexus-data)$/.test(path),
  }).sort();
const LIBRARIES = ['testing', ...find('libs/*/*/src').map((path) => path.split('/').slice(1, 3).join('/'))];
const DOCUMENTS = find('**/*.md');
const INDEX = 'docs/adr/README.md';
const RECORDS = find('docs/adr/[0-9]*.md');
/** Without the padding of tables. */
const plain = (text: string) =>
  text.replaceAll(/ +\|/g, ' |').replaceAll(/-+ \|/g, '- |').replaceAll(/\| -+/g, '| -');

async function mayImport(): Promise<Readonly<Record<string, readonly string[]>>> {
  const table = (await import(join(ROOT, 'tools/import-table.mjs'))) as {
    MAY_IMPORT: Readonly<Record<string, readonly string[]>>;
  };
  return table.MAY_IMPORT;
}

describe('libraries', () => {
  it.each(LIBRARIES)('%s has a front door and a short README', (library) => {
    const readme = `libs/${library}/README.md`;

    expect(existsSync(join(ROOT, `libs/${library}/src/index.ts`))).toBe(true);
    expect(existsSync(join(ROOT, readme))).toBe(true);
    expect(lineCount(readme)).toBeLessThanOrEqual(README_LINES_MAX);
  });

  it('and the apps are the projects of nest-cli.json', () => {
    const { projects } = JSON.parse(read('nest-cli.json')) as { projects: Record<string, { root: string }> };

    const roots = Object.values(projects).map(({ root }) => root);

    const apps = find('apps/*/src').map(dirname);
    expect(roots.sort()).toEqual([...apps, ...LIBRARIES.map((library) => `libs/${library}`)].sort());
  });

  it('are in the table of imports, whose rows refer only to rows above', async () => {
    const rows = Object.entries(await mayImport());
    const names = rows.map(([library]) => library);

    const upward = rows.flatMap(([library, allowed], index) =>
      allowed
        .filter((other) => !names.slice(0, index).includes(other))
        .map((other) => `${library} → ${other}`),
    );

    expect(upward).toEqual([]);
    expect(
      LIBRARIES.filter((library) => !/(^|\/)testing$/.test(library) && !names.includes(library)),
    ).toEqual([]);
  });
});

describe('documents', () => {
  it('list every error code with its status, and no other', () => {
    const rows = read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` *\|(?: (\d{3}) )?/gm);
    const documented = Array.from(rows, ([, code, status]) => [code, status] as const);

    const codes = documented.map(([code]) => code).sort();
    const wrong = documented.filter(
      ([code, status]) =>
        status !== undefined &&
        Number(status) !== ERROR_CATALOGUE[code as keyof typeof ERROR_CATALOGUE].httpStatus,
    );

    expect(codes).toEqual(Object.keys(ERROR_CATALOGUE).sort());
    expect(wrong).toEqual([]);
  });

  it('give a reason for every dependency, and for no other', () => {
    const settings = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const [, atRunTime = '', toBuild = ''] = read('docs/dependencies.md').split(/^## /m);

    const packagesIn = (section: string) =>
      Array.from(section.matchAll(/^\| `([^`]+)` *\|/gm), ([, name]) => name);

    expect(packagesIn(atRunTime)).toEqual(Object.keys(settings['dependencies'] ?? {}).sort());
    expect(packagesIn(toBuild)).toEqual(Object.keys(settings['devDependencies'] ?? {}).sort());
  });

  it('link only to existing files and headings', () => {
    const broken = DOCUMENTS.flatMap((path) =>
      Array.from(read(path).matchAll(/\]\(([^)#\s]+)[^)]*\)/g), ([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );

    expect(broken).toEqual([]);
  });

  it.each(RECORDS)('%s is a decision record of a page', (path) => {
    const [title, , status] = read(path).split('\n');
    const headings = Array.from(read(path).matchAll(/^## (.+)$/gm), ([, heading]) => heading);

    expect(path).toMatch(/\/\d{4}-[a-z0-9-]+\.md$/);
    expect(title).toMatch(new RegExp(`^# ${basename(path).slice(0, 4)}: .`));
    expect(status).toMatch(/^Status: (accepted|superseded by \d{4}) · \d{4}-\d\d-\d\d$/);
    expect(headings).toEqual(['Context', 'Decision', 'Alternatives', 'Consequences']);
    expect(lineCount(path)).toBeLessThanOrEqual(ADR_LINES_MAX);
  });

  it('list every decision record in the index, with its status and date (UPDATE_GOLDEN=1 rewrites it)', () => {
    const rows = RECORDS.map((path) => {
      const [title = '', , status = ''] = read(path).split('\n');
      const [, number = '', subject = ''] = /^# (\d{4}): (.+)$/.exec(title) ?? [];
      const [, state = '', date = ''] = /^Status: (.+) · (.+)$/.exec(status) ?? [];
      return `| [${number}](${basename(path)}) | ${subject} | ${state} | ${date} |`;
    });
    const index = read(INDEX);

    const wanted = index.replace(
      /<!-- records -->.*<!-- \/records -->/s,
      () =>
        `<!-- records -->\n\n${['| | subject | status | date |', '| --- | --- | --- | --- |', ...rows].join('\n')}\n\n<!-- /records -->`,
    );

    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(join(ROOT, INDEX), wanted);
    else expect(plain(index)).toBe(plain(wanted));
    expect(index).toContain('<!-- records -->');
  });

  it('include a changelog in the form of Keep a Changelog', () => {
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security', 'Public language'];
    const changelog = read('CHANGELOG.md');

    const versions = Array.from(changelog.matchAll(/^## (.+)$/gm), ([, version = '']) => version);
    const kinds = Array.from(changelog.matchAll(/^### (.+)$/gm), ([, kind = '']) => kind);

    expect(versions[0]).toBe('[Unreleased]');
    expect(
      versions.slice(1).filter((version) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/.test(version)),
    ).toEqual([]);
    expect(kinds.filter((kind) => !known.includes(kind))).toEqual([]);
  });
});

describe('sources', () => {
  it('contain no mark of unfinished work', () => {
    const paths = find('{apps,libs,web,test,tools,bench}/**/*.{ts,mjs,svelte}').filter(
      (path) => !path.includes('/generated/'),
    );
    const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', '@ts-' + 'ignore', 'eslint-' + 'disable'].join('|'));

    expect(paths.filter((path) => marks.test(read(path)))).toEqual([]);
  });

  it('keep browser code in web/, where it is checked, and not in strings', () => {
    const paths = find('{apps,libs,tools,bench}/**/*.{ts,mjs}').filter(
      (path) => !/(\.|-)spec\.ts$|\/test\/|node_modules/.test(path),
    );
    const markup = /<\/script>|\bon(?:click|load|error|input|submit)=["']/i;
    const inBrowser = new RegExp(
      [
        String.raw`\bdocument\.(?:body|title|create|getElement|querySelector)`,
        String.raw`\bwindow\.(?:open|location|on)`,
        String.raw`\b(?:session|local)Storage\b`,
        String.raw`\bnew EventSource\b`,
        String.raw`addEventListener\('(?:click|input|submit)'`,
      ].join('|'),
    );

    const found = paths.filter((path) => markup.test(read(path)) || inBrowser.test(read(path)));

    expect(found).toEqual([]);
  });
});
