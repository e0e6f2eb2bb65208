import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { seriousFaults, takePicture } from '#testing';
import { ESTATE } from './support/estate.ts';
import { describeWithBrowser, SCREENS, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

/** An account with its instances, groups, roles and buckets, as Cartography names them. */
const ACCOUNT = `
MERGE (a:AWSAccount {id: '210987654321', name: 'production'})
WITH a UNWIND ['public', 'internal'] AS group
MERGE (g:EC2SecurityGroup {id: 'sg-' + group, name: group})
MERGE (a)-[:RESOURCE]->(g)
MERGE (rule:IpPermissionInbound {id: group + '-443', name: group + ' 443'})
MERGE (rule)-[:MEMBER_OF_EC2_SECURITY_GROUP]->(g)
WITH a, g, group UNWIND range(1, 3) AS number
MERGE (i:EC2Instance {id: 'i-' + group + toString(number), name: group + '-' + toString(number)})
MERGE (a)-[:RESOURCE]->(i)
MERGE (i)-[:MEMBER_OF_EC2_SECURITY_GROUP]->(g)
MERGE (role:AWSRole {id: 'role-' + group, name: group + '-role'})
MERGE (a)-[:RESOURCE]->(role)
MERGE (i)-[:STS_ASSUMEROLE_ALLOW]->(role)
WITH a, role, group
MERGE (b:S3Bucket {id: 'bucket-' + group, name: group + '-data'})
MERGE (a)-[:RESOURCE]->(b)
MERGE (role)-[:CAN_READ]->(b)`;
const STATEMENT = "MATCH (h:host)-[r:RUNS]->(s) WHERE h._key = 'web-01' RETURN h, r, s";

describeWithBrowser('the query view in Cypher', () => {
  const tested = testConsole(async () => {
    const service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    return service;
  });

  const { onPage } = tested;

  const write = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('button', { name: 'Cypher', exact: true }).click();
    await page.getByRole('textbox', { name: 'Cypher' }).fill(text);
  };
  /** First leaves the editor: on a narrow page its list of completions may lie over the button. */
  const run = async (page: Page): Promise<void> => {
    await page.getByRole('textbox', { name: 'Cypher' }).blur();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
  };
  const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true }).first();

  it('shows rows, what a statement has changed, and keeps the language of a tab', () =>
    onPage({}, async (page) => {
      await write(page, 'MATCH (h:host) RETURN h._key AS key ORDER BY key');
      await run(page);
      await cell(page, 'web-01').waitFor();
      await page.reload();
      await page.getByRole('textbox', { name: 'Cypher' }).waitFor();
      await write(page, "CREATE (:note {text: 'x'}), (:note {text: 'y'})");
      await run(page);

      await page.getByText('2 nodes created').waitFor();
    }));

  it('opens a statement of an address without running it', () =>
    onPage({ hash: '#/query?q=CREATE+(:opened)&l=cypher' }, async (page) => {
      await page.getByRole('textbox', { name: 'Cypher' }).waitFor();
      await page.getByText('runs the query').waitFor();
      await write(page, 'MATCH (n:opened) RETURN count(n) AS found');
      await run(page);

      await cell(page, '0').waitFor();
    }));

  it('underlines an error in place, also of an EXPLAIN', () =>
    onPage({}, async (page) => {
      await write(page, 'MATCH (h:host) RETURN g');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('alert').filter({ hasText: '`g` is not defined' }).waitFor();

      expect(await page.locator('.cm-lintRange-error').innerText()).toBe('g');
    }));

  it('completes labels, types, properties and functions', () =>
    onPage({}, async (page) => {
      for (const [text, option] of [
        ['MATCH (h:ho', /^host\b/],
        ['MATCH (h)-[:RU', /^RUNS\b/],
        ['MATCH (h:host) WHERE h.sta', /^state\b/],
        ['RETURN toUpp', /^toUpper\(/],
      ] as const) {
        await write(page, text);
        await page.keyboard.press('Control+Space');
        await page.getByRole('option', { name: option }).first().waitFor();
        await page.keyboard.press('Escape');
      }
    }));

  it('shows a plan as a tree, and asks for parameters', () =>
    onPage({}, async (page) => {
      await write(page, 'MATCH (h:host {state: $state}) RETURN h');
      await page.getByRole('textbox', { name: '$state' }).fill('running');
      await page.getByRole('button', { name: 'Profile' }).click();

      await page
        .getByText(/\d+ rows.*\d ms/s)
        .last()
        .waitFor();
    }));

  it('draws nodes, relationships and paths', () =>
    onPage({}, async (page) => {
      await write(page, "MATCH p = (:host {_key: 'web-01'})-[:RUNS]->(s) RETURN p, collect(s) AS all");
      await run(page);
      await page.getByRole('button', { name: 'Graph', exact: true }).click();

      await page.getByText('2 nodes').first().waitFor();
    }));

  it('draws an account as Cartography writes it', () =>
    onPage({}, async (page) => {
      await tested.service.json(200, 'POST', '/v1/cypher', { cypher: ACCOUNT });
      await write(page, 'MATCH p = (:AWSAccount)-[:RESOURCE]->()-[*0..1]-() RETURN p');
      await run(page);
      await page.getByRole('button', { name: 'Graph', exact: true }).click();

      await page.getByText('15 nodes').first().waitFor();
      await page.getByRole('button', { name: 'Forces' }).click();
      await takePicture(page, 'cartography');
    }));

  it.each(SCREENS)('has no serious fault: %i pixels wide, %s', (width, colours) =>
    onPage({ width, colours }, async (page) => {
      await write(page, STATEMENT);
      await run(page);
      await page.getByRole('gridcell').first().waitFor();
      await takePicture(page, `cypher-${String(width)}-${colours}`);

      expect(await seriousFaults(page)).toEqual([]);
    }),
  );
});
