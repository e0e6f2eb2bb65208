import { describe, expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ERROR_CATALOGUE } from '#platform/foundation';

const ROOT = join(import.meta.dirname, '..');
/** What a user of a library reads, and the design notes below it, which its next owner reads. */
const README_LINES_MAX = 40;
const DESIGN_LINES_MAX = 120;
const ADR_LINES_MAX = 80;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const linesOf = (text: string) => text.trimEnd().split('\n').length;
const find = (pattern: string) =>
  globSync(pattern, {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist|plexus-data)$/.test(path),
  }).sort();
/** The names of headings in links, as GitHub forms them. */
const anchorsOf = (text: string) =>
  Array.from(text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
const LIBRARIES = find('libs/**/src').map((path) => path.slice('libs/'.length, -'/src'.length));
const DOCUMENTS = find('**/*.md');
const INDEX = 'docs/adr/README.md';
const RECORDS = find('docs/adr/[0-9]*.md');
const TEXT = /\.(?:css|js|json|mjs|proto|sh|svelte|toml|ts|txt|ya?ml)$/;
/** `ADR 0010`, also over a line break of a comment, `ADR 0010 and 0020`, `adr/0010`. */
const NUMBERS = String.raw`\d{3,4}(?:(?:,| and| to)\s+\d{4}\b)*`;
const REFERENCE = new RegExp(String.raw`\bADRs?[\s/*#]+${NUMBERS}|\badr/\d{3,4}`, 'g');
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
    const [front = '', design = ''] = read(readme).trimEnd().split('\n## Design\n');
    expect(linesOf(front)).toBeLessThanOrEqual(README_LINES_MAX);
    expect(linesOf(design)).toBeLessThanOrEqual(DESIGN_LINES_MAX);
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
      Array.from(read(path).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?[^)]*\)/g))
        .filter(([, target = '']) => !/^[a-z]+:/.test(target))
        .filter(([, target = '', heading]) => {
          const file = target === '' ? path : join(dirname(path), target);
          if (!existsSync(join(ROOT, file))) return true;
          return heading !== undefined && file.endsWith('.md') && !anchorsOf(read(file)).includes(heading);
        })
        .map(([link]) => `${path}: ${link}`),
    );

    expect(broken).toEqual([]);
  });

  it.each(RECORDS)('%s is a decision record of a page', (path) => {
    const [title, , status] = read(path).split('\n');
    const headings = Array.from(read(path).matchAll(/^## (.+)$/gm), ([, heading]) => heading);

    expect(path).toMatch(/\/\d{4}-[a-z0-9-]+\.md$/);
    expect(title).toMatch(new RegExp(`^# ${basename(path).slice(0, 4)}: .`));
    expect(status).toMatch(/^Status: accepted · \d{4}-\d\d-\d\d$/);
    expect(headings).toEqual(['Context', 'Decision', 'Alternatives', 'Consequences']);
    expect(linesOf(read(path))).toBeLessThanOrEqual(ADR_LINES_MAX);
  });

  it('list every decision record in the index, with its date (UPDATE_GOLDEN=1 rewrites it)', () => {
    const rows = RECORDS.map((path) => {
      const [title = '', , status = ''] = read(path).split('\n');
      const [, number = '', subject = ''] = /^# (\d{4}): (.+)$/.exec(title) ?? [];
      const [, date = ''] = /^Status: .+ · (.+)$/.exec(status) ?? [];
      return `| [${number}](${basename(path)}) | ${subject} | ${date} |`;
    });
    const index = read(INDEX);

    const wanted = index.replace(
      /<!-- records -->.*<!-- \/records -->/s,
      () =>
        `<!-- records -->\n\n${['| | decision | date |', '| --- | --- | --- |', ...rows].join('\n')}\n\n<!-- /records -->`,
    );

    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(join(ROOT, INDEX), wanted);
    else expect(plain(index)).toBe(plain(wanted));
    expect(index).toContain('<!-- records -->');
  });

  it('and sources name only existing decision records', () => {
    const sources = find('{apps,bench,libs,packaging,proto,rules,samples,test,tools,web}/**/*.*').filter(
      (path) => TEXT.test(path),
    );
    const numbers = new Set(RECORDS.map((path) => basename(path).slice(0, 4)));

    const missing = [...DOCUMENTS, ...sources, ...find('*.{ts,js,mjs}')].flatMap((path) =>
      Array.from(read(path).matchAll(REFERENCE), ([reference]) => reference)
        .filter((reference) => reference.match(/\d+/g)?.some((number) => !numbers.has(number)))
        .map((reference) => `${path}: ${reference}`),
    );

    expect(missing).toEqual([]);
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

  it.each(['graph', 'load', 'proxy'])(
    'of %s have one schema of each name in its OpenAPI document',
    (part) => {
      const names = find(`libs/${part}/**/*.dto.ts`).flatMap((path) =>
        Array.from(read(path).matchAll(/^(?:export )?class (\w+)/gm), ([, name = '']) => name),
      );

      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    },
  );
});
