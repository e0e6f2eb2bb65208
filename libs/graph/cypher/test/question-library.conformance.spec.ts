/** Questions that others ask of a Neo4j server, from the folder of test data: each is planned and run. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '#testing';
import { DomainError } from '#platform/foundation';
import type { Value } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const ROOT = join(process.env['PLEXUS_TEST_DATA'] ?? 'no test data', 'cypher');
/** It reads a variable that it does not define; Neo4j refuses it too. */
const REFUSED = 'MATCH p = shortestPath((n:AZUser)-[:AZ_ATTACK_PATHS*..]->(g:AZKeyVault))\nWHERE m.';

/** Those of Cartography are tested with its schema. */
const LIBRARIES = /^(prowler|bloodhound.*)\.jsonl$/;
/** A question that is a comment, for readers who dare to run it. */
const COMMENT = /^(\/\/.*\n?)*$/;

interface Question {
  readonly cypher: string;
}

function questionsOf(name: string): readonly Question[] {
  const lines = readFileSync(join(ROOT, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const questions = lines.map((line) => JSON.parse(line) as Question);
  return questions.filter(({ cypher }) => !COMMENT.test(cypher));
}

function libraries(): readonly string[] {
  return readdirSync(ROOT).flatMap((file) => LIBRARIES.exec(file)?.[1] ?? []);
}

const describeWithData = describeUnless(existsSync(ROOT) ? undefined : 'PLEXUS_TEST_DATA has no cypher');

describeWithData('the question libraries', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
    await answer(`CREATE (d:Base:Domain {name: 'd', domainsid: 'S-1', collected: true}),
      (u:Base:User {name: 'u', enabled: true, domainsid: 'S-1', pwdlastset: 1.0})-[:MemberOf]->(g:Base:Group {name: 'g', objectid: 'S-1-512'}),
      (c:Base:Computer {name: 'c', operatingsystem: 'Windows 7', enabled: true})-[:MemberOf]->(g), (g)-[:AdminTo]->(c),
      (a:AWSAccount {id: '1', name: 'a'})-[:RESOURCE]->(i:EC2Instance {id: 'i', exposed_internet: true}), (a)-[:RESOURCE]->(s:S3Bucket {name: 's'})`);
  });

  afterAll(() => store.close());

  async function answer(text: string): Promise<number | string> {
    const used = [...text.matchAll(/\$(\w+)/g)].map(([, parameter = '']) => [parameter, '1'] as const);
    const parameters = new Map<string, Value>(used);
    try {
      const result = await store.transactions.run(
        { text, parameters },
        { access: 'write' },
        { aborted: false },
      );
      return (await result.take(Infinity)).length;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return error.message;
    }
  }

  it.each(existsSync(ROOT) ? libraries() : [])('of %s are planned and run whole', async (name) => {
    const failures: string[] = [];
    for (const { cypher } of questionsOf(name)) {
      const rows = await answer(cypher);
      if (typeof rows === 'string') failures.push(`${rows}: ${cypher}`);
    }

    expect(failures.filter((failure) => !failure.includes(REFUSED))).toEqual([]);
  });
});
