import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import { LIES } from '#testing';
import { againstIt, AnvilSite } from './support/lie-run.ts';
jest.setTimeout(200_000);
let site: AnvilSite;
beforeAll(async () => {
  site = await AnvilSite.start();
});
afterAll(() => site.close());
it('truth', async () => {
  const run = await site.judged();
  appendFileSync(
    '/tmp/l2-lies.log',
    `TRUTH ${againstIt(run).join('; ')} | ${run.violations
      .slice(0, 2)
      .map((v) => JSON.stringify(v))
      .join()} | sent ${run.tally.sent} included ${run.tally.included}\n`,
  );
});
it.each(
  Object.keys(LIES).filter(
    (n) => process.env['ONLY'] === undefined || process.env['ONLY'].split(',').includes(n),
  ),
)('%s', async (name) => {
  let text: string;
  try {
    const run = await site.lied(name);
    const kinds = new Map<string, number>();
    for (const { check, kind } of run.violations)
      kinds.set(`${check}:${kind}`, (kinds.get(`${check}:${kind}`) ?? 0) + 1);
    text = `${againstIt(run).length === 0 ? 'GREEN!!' : 'ok'} ${againstIt(run).join('; ')} | ${[...kinds].join(' ')} | ${run.findings.join()}`;
  } catch (error) {
    text = `ERROR ${String(error)}`;
  }
  appendFileSync('/tmp/l2-lies.log', `${name}: ${text}\n`);
  expect(text).not.toContain('GREEN');
});
