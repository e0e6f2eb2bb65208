import { expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { parseScenario } from './parse-scenario.ts';
import { scenarioKeys, scenarioMetrics } from './scenario-reference.ts';
import { parseScenarioText } from './scenario-text.ts';

const PAGE = new URL('../../../../docs/scenario.md', import.meta.url);

/** The page with up-to-date generated parts. */
function withParts(page: string): string {
  const parts = { keys: scenarioKeys(), metrics: scenarioMetrics() };
  return Object.entries(parts).reduce(
    (text, [name, part]) =>
      text.replace(
        new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's'),
        () => `<!-- ${name} -->\n\n${part}\n\n<!-- /${name} -->`,
      ),
    page,
  );
}

it('docs/scenario.md documents every key and metric (UPDATE_GOLDEN=1 rewrites it)', async () => {
  const page = await readFile(PAGE, 'utf8');
  const wanted = withParts(page);
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, wanted);
  else expect(page).toBe(wanted);
});

it('the example on the page is a valid scenario', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];

  expect(parseScenario(parseScenarioText(example, 'yaml')).name).toBe('smoke');
});
