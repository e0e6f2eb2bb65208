import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestZipMember, writeTestZip } from '#graph/testing';
import { runProgram } from './support/built-program.ts';

const USERS = 50_000;
const GROUP = 'S-1-5-21-1-2-3-512';
/** As texts in the heap, objects and edges took 60 MB, beside 20 of the program and what a run needs. */
const HEAP_MIB = 80;
const MINUTES = 60_000;

const sid = (index: number): string => `S-1-5-21-1-2-3-${10_000 + index}`;
/** Every thousandth goes, from the first to the last. */
const GONE_EACH = 1_000;
const GONE = Array.from({ length: USERS / GONE_EACH }, (_, index) => sid(index * GONE_EACH));

function* users(indexes: readonly number[]): Iterable<string> {
  yield '{"data":[';
  for (const [position, index] of indexes.entries())
    yield (
      (position === 0 ? '' : ',') +
      JSON.stringify({
        ObjectIdentifier: sid(index),
        Properties: {
          name: `USER${index}@LAB.LOCAL`,
          domain: 'LAB.LOCAL',
          distinguishedname: `CN=USER${index},OU=STAFF,DC=LAB,DC=LOCAL`,
          samaccountname: `user${index}`,
          displayname: `User Number ${index}`,
          email: `user${index}@lab.local`,
          enabled: true,
          admincount: false,
          pwdneverexpires: index % 3 === 0,
          whencreated: 1_700_000_000 + index,
        },
        PrimaryGroupSID: GROUP,
        Aces: [{ PrincipalSID: GROUP, PrincipalType: 'Group', RightName: 'GenericAll', IsInherited: true }],
      })
    );
  yield `],"meta":{"type":"users","version":6,"count":${indexes.length}}}`;
}

describe('a collection of 50,000 objects, in a heap that does not hold it as one batch', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-large-'));
    await mkdir(join(directory, 'connectors'));
    await writeFile(
      join(directory, 'connectors', 'lab.yaml'),
      'connector: bloodhound\nconfig: { file: ../lab.zip }\n',
    );
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const all = Array.from({ length: USERS }, (_, index) => index);
  const write = (indexes: readonly number[]): Promise<void> => {
    const member: TestZipMember = { name: 'users.json', content: users(indexes) };
    return writeTestZip(join(directory, 'lab.zip'), [member]);
  };
  const run = () =>
    runProgram(
      [
        ...['connector', 'run', 'lab', '--connectors', join(directory, 'connectors')],
        ...['--data-dir', join(directory, 'data')],
      ],
      { environment: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` } },
    );

  /** The keys of the users that went, of those that there are. */
  const goneIn = async (): Promise<readonly string[]> => {
    const listed = GONE.map((key) => `'${key}'`).join(' OR ');
    const query = `FIND user WITH _key = (${listed}) RETURN _key`;
    const { stdout } = await runProgram([
      ...['query', query, '--format', 'json', '--data-dir', join(directory, 'data')],
    ]);
    return (JSON.parse(stdout) as { readonly rows: readonly (readonly string[])[] }).rows.flat();
  };

  it(
    'is read whole, and a second run deletes exactly what went',
    async () => {
      await write(all);
      const first = await run();
      const before = await goneIn();
      await write(all.filter((index) => index % GONE_EACH !== 0));
      const second = await run();
      const after = await goneIn();

      expect(first.stderr + second.stderr).not.toContain('heap');
      expect([first.code, second.code]).toEqual([0, 0]);
      expect(numbersAfter('created', first.stdout)).toEqual([USERS + 1, 2 * USERS]);
      expect(numbersAfter('created', second.stdout)).toEqual([0, 0]);
      const left = USERS - GONE.length;
      expect(numbersAfter('unchanged', second.stdout)).toEqual([left + 1, 2 * left]);
      expect(numbersAfter('deleted', second.stdout)).toEqual([GONE.length, 2 * GONE.length]);
      expect([before.toSorted(), after]).toEqual([GONE.toSorted(), []]);
    },
    20 * MINUTES,
  );
});

/** The numbers of a row of the table. */
function numbersAfter(title: string, table: string): readonly number[] {
  const row = table.split('\n').find((line) => line.startsWith(title));
  return (row ?? '').split(/\s+/).slice(1).filter(Boolean).map(Number);
}
