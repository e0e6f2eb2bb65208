/**
 * Damaged and foreign variants of a file of every format. What is not understood is refused or makes the run
 * partial, by name; a run that is complete has lost nothing of what the whole file states.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FieldValue } from '#graph/model';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../src/kit/run-connector.ts';
import { GraphEntities, type KnownEntity } from '../../src/run/graph-entities.port.ts';
import { FORMATS } from './documents.ts';
import type { FormatFile } from './format-file.ts';

/** What advisories are about. */
class KnownPackage extends GraphEntities {
  override *ofType(type: string): Iterable<KnownEntity> {
    const fields: Readonly<Record<string, FieldValue>> = {
      name: 'a',
      version: '1.0.0',
      purl: 'pkg:npm/a@1.0.0',
    };
    const isOther = { connectorId: 'bill', isStatedByOthers: () => true };
    if (type === 'npm_package') yield { ...isOther, key: 'a@1.0.0', field: (name) => fields[name] };
    if (type === 'vulnerability') yield { ...isOther, key: 'CVE-2099-0001', field: () => undefined };
  }
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-hostile-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function read(
  { connector, name, field = 'file', config = {}, beside = {} }: FormatFile,
  content: string | Uint8Array,
): Promise<TestRun> {
  const file = join(directory, name);
  await rm(join(directory, 'package.json'), { force: true });
  for (const [other, value] of Object.entries(beside))
    await writeFile(join(directory, other), typeof value === 'string' ? value : JSON.stringify(value));
  await writeFile(file, content);
  const options = { config: { ...config, [field]: file }, graph: new KnownPackage() };
  return runConnector(connector(new NodeDisk()), options);
}

function textOf({ content }: FormatFile): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** The entities and relationships of a run, and each of their properties, as texts. */
function statedBy({ entities, relationships }: TestRun, { readsAnyValue }: FormatFile): ReadonlySet<string> {
  const records = [
    ...entities.map(({ type, key, properties }) => [`${type} ${key}`, properties] as const),
    ...relationships.map(
      ({ from, verb, to, properties }) => [`${from.key} ${verb} ${to.key}`, properties] as const,
    ),
  ];
  const valueOf = (value: unknown): string => (readsAnyValue === true ? '' : ` = ${JSON.stringify(value)}`);
  return new Set(
    records.flatMap(([record, properties]) => [
      record,
      ...Object.entries(properties).map(([name, value]) => `${record}: ${name}${valueOf(value)}`),
    ]),
  );
}

/** Why the outcome of a variant is wrong; undefined if it is right. */
function faultOf(format: FormatFile, run: TestRun, whole: ReadonlySet<string>): string | undefined {
  const { status, steps, warnings } = run.report;
  const reason = steps[0]?.reason ?? warnings[0] ?? '';
  if (reason.includes(directory)) return `a path in: ${reason}`;
  if (status !== 'complete') return reason === '' ? `${status} without a reason` : undefined;
  const found = statedBy(run, format);
  const lost = [...whole].filter((each) => !found.has(each));
  return lost.length === 0 ? undefined : `complete without ${lost.slice(0, 3).join('; ')}`;
}

async function faultsOf(
  format: FormatFile,
  variants: Iterable<readonly [string, string | Uint8Array]>,
): Promise<readonly string[]> {
  const whole = statedBy(await read(format, textOf(format)), format);
  const faults: string[] = [];
  for (const [what, content] of variants) {
    const fault = faultOf(format, await read(format, content), whole);
    if (fault !== undefined) faults.push(`${what}: ${fault}`);
  }
  return faults;
}

/** Values of other kinds than the one that stands there. `null` is how some tools write an empty list. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  string: [7, {}, [7], true],
  number: ['x', {}],
  boolean: ['x', {}],
  list: [{}, 'x', 7],
  object: [['x'], 'x', 7],
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

/** All places of a document, each with its value. */
function* placesOf(
  value: unknown,
  path: readonly string[] = [],
): Generator<readonly [readonly string[], unknown]> {
  if (path.length > 0) yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) yield* placesOf(each, [...path, name]);
}

function replaced(document: object, path: readonly string[], value: unknown): object {
  const copy = structuredClone(document);
  const holder = path.slice(0, -1).reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], copy);
  (holder as Record<string, unknown>)[path.at(-1) ?? ''] = value;
  return copy;
}

function* otherKinds(document: object, either: RegExp | undefined): Generator<readonly [string, string]> {
  for (const [path, value] of placesOf(document))
    for (const other of OTHERS[kindOf(value)] ?? []) {
      const what = `${path.join('.')} as ${JSON.stringify(other)}`;
      if (either?.test(what) !== true) yield [what, JSON.stringify(replaced(document, path, other))];
    }
}

function* cuts(text: string): Generator<readonly [string, string]> {
  const step = Math.max(1, Math.floor(text.length / 400));
  for (let at = 1; at < text.length; at += step) yield [`cut at ${at}`, text.slice(0, at)];
}

/** A letter of Latin-1 in the last text of the file. */
const inLatin1 = (text: string): Buffer => {
  const at = text.search(/[a-z]{3}(?=[^a-z]*$)/);
  return Buffer.from(`${text.slice(0, at)}\xE9${text.slice(at)}`, 'latin1');
};

describe.each(FORMATS)('a file of $format', (format) => {
  const text = textOf(format);
  const { content, version, either, isSequence = false, mayBeEmpty = false } = format;

  it('is read whole as it is', async () => {
    const { report, entities } = await read(format, text);

    expect([report.status, report.steps[0]?.reason, report.unresolved_count]).toEqual([
      'complete',
      undefined,
      0,
    ]);
    expect(entities.length).toBeGreaterThan(0);
  });

  it('with another encoding or wrapping loses nothing without a word', async () => {
    const variants: readonly (readonly [string, string | Uint8Array])[] = [
      ['a byte order mark', `\uFEFF${text}`],
      ['lines that end with CR LF', text.replaceAll('\n', '\r\n')],
      ['UTF-16', Buffer.from(`\uFEFF${text}`, 'utf16le')],
      ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
      ['Latin-1', inLatin1(text)],
      ['gzip', gzipSync(text)],
      ['gzip, cut', gzipSync(text).subarray(0, 20)],
      ['white space around', `\n\n  ${text}\n \n`],
      ['other text after it', `${text}\nnothing of it %%%"`],
      ['the same once more', `${text}\n${text}`],
    ];

    expect(await faultsOf(format, variants)).toEqual([]);
  });

  it.each([
    ...(mayBeEmpty ? [] : ['', ' \n\t\n']),
    '\0'.repeat(100),
    '{"error": "access denied"}',
    '<!DOCTYPE html>\n<html><body>Please sign in</body></html>\n',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  ])('is not %.40j', async (other) => {
    const { report } = await read(format, other);

    expect(report.status).not.toBe('complete');
  });

  if (!isSequence)
    it('that is cut loses nothing without a word', async () => {
      expect(await faultsOf(format, cuts(text.trimEnd()))).toEqual([]);
    });
  if (typeof content !== 'object') return;

  it('with a value of another kind loses nothing without a word', async () => {
    expect(await faultsOf(format, otherKinds(content, either))).toEqual([]);
  });

  it('with fields that no version has is read alike', async () => {
    const { report } = await read(
      format,
      JSON.stringify(Array.isArray(content) ? content : { ...content, in_the_next_version: [{}] }),
    );

    expect(report.status).toBe('complete');
  });

  if (!Array.isArray(content))
    it('with a name twice is refused', async () => {
      const [name = ''] = Object.keys(content);
      const { report } = await read(format, `{${JSON.stringify(name)}: null, ${text.slice(1)}`);

      expect(report.status).not.toBe('complete');
    });

  if (version !== undefined)
    it('of an unknown version is refused', async () => {
      const [path, value] = version;
      const { report } = await read(format, JSON.stringify(replaced(content, path.split('.'), value)));

      expect(report.status).not.toBe('complete');
      expect(String(report.steps[0]?.reason)).toMatch(/version/i);
    });
});

describe.each(FORMATS.filter(({ isSequence = false, isOfMany = true }) => !isSequence && isOfMany))(
  'a file of $format in a folder',
  (format) => {
    it('that is cut is named, and nothing is deleted for it', async () => {
      const { connector, name, field = 'file', config = {} } = format;
      const text = textOf(format);
      const folder = await mkdtemp(join(directory, 'folder-'));
      for (const [part, each] of [
        ['cut', text.trimEnd().slice(0, -3)],
        ['whole', text],
      ] as const) {
        await mkdir(join(folder, part));
        await writeFile(join(folder, part, name), each);
      }
      const options = { config: { ...config, [field]: folder }, graph: new KnownPackage() };

      const { report } = await runConnector(connector(new NodeDisk()), options);

      expect(report.status).toBe('failed');
      expect(report.steps[0]?.reason).toContain(`cut/${name}`);
    });
  },
);

describe.each(FORMATS.filter(({ required = [] }) => required.length > 0))(
  'a file of $format without a field',
  (format) => {
    it.each(format.required ?? [])('%s is not read as whole', async (path) => {
      const copy = replaced(format.content as object, path.split('.'), undefined);

      const { report } = await read(format, JSON.stringify(copy));

      expect(report.status).not.toBe('complete');
    });
  },
);
