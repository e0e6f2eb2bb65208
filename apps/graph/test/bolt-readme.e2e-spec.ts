/** The examples of the driver's own README, as they stand there. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import neo4j, { type Driver, type Record as Row } from 'neo4j-driver';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { TestService } from './support/test-service.ts';

const FOLDER = dirname(createRequire(import.meta.url).resolve('neo4j-driver/package.json'));
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');

/** The only example with these words. */
function exampleWith(words: string): string {
  const blocks = [...README.matchAll(/```javascript\n(.*?)```/gs)].map(([, code = '']) => code);
  const [found = '', ...others] = blocks.filter((code) => code.includes(words));
  if (found === '' || others.length > 0) throw new Error(`expected one example with ${words}`);
  return found;
}

describe('the README of neo4j-driver', () => {
  let service: TestService;
  let driver: Driver;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_BOLT_PORT: '0' } });
    driver = neo4j.driver(`neo4j://${service.boltAddress}`, neo4j.auth.basic('neo4j', 'password'));
  });
  afterAll(async () => {
    await driver.close();
    await service.stop();
  });

  /** What an example has logged when it closes its session, as all of them do at their end. */
  async function logged(code: string): Promise<readonly unknown[]> {
    const lines: unknown[] = [];
    const session = driver.session();
    const closed = Promise.withResolvers<undefined>();
    const close = session.close.bind(session);
    session.close = async (): Promise<void> => {
      await close();
      closed.resolve(undefined);
    };
    const console = { log: (line: unknown): unknown => lines.push(line) };
    await (runInNewContext(`(async () => {${code}})()`, { session, console }) as Promise<unknown>);
    await closed.promise;
    return lines;
  }

  it.each([
    ['streams records', '.subscribe({\n    onKeys', [['name'], 'Alice']],
    ['collects records', '.then(result => {\n    result.records.forEach', ['James']],
    ['writes in a transaction function', 'session.executeWrite', [['Alice']]],
    [
      'runs statements in an explicit transaction',
      'const txc = session.beginTransaction()',
      ['Bob', 'First query completed', 'Adam', 'Second query completed', 'committed'],
    ],
  ])('%s', async (_, words, expected) => {
    expect(await logged(exampleWith(words))).toEqual(expected);
  });

  it('reads in a transaction function what the examples have written', async () => {
    const [records] = await logged(exampleWith('session.executeRead'));
    const names = (records as readonly Row[]).map((record) => record.get('name') as string);

    expect(names.sort()).toEqual(['Adam', 'Alice', 'Bob', 'James']);
  });
});
