/** The openCypher technology compatibility kit, from the folder of test data. */
import { expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '#testing';
import { TckGraph } from './tck/tck-graph.ts';
import { failureOf, scenariosOf } from './tck/tck-scenario.ts';

const ROOT = join(process.env['PLEXUS_TEST_DATA'] ?? 'no test data', 'opencypher-tck');

function graphsOf(root: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(root, 'graphs'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return new Map(
    names.map(({ name }) => [name, readFileSync(join(root, 'graphs', name, `${name}.cypher`), 'utf8')]),
  );
}

async function failingScenarios(): Promise<{ readonly failing: readonly string[]; readonly count: number }> {
  const namedGraphs = graphsOf(ROOT);
  const features = join(ROOT, 'features');
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.feature'),
  );
  const failing = new Set<string>();
  let count = 0;
  for (const file of files) {
    const graph = await TckGraph.open();
    for (const scenario of scenariosOf(file, readFileSync(join(features, file), 'utf8'))) {
      count++;
      const failure = await failureOf(scenario, { graph, namedGraphs });
      if (failure !== undefined) failing.add(`${file} ${scenario.name}`);
    }
    await graph.close();
  }
  return { failing: [...failing].sort(), count };
}

const describeWithData = describeUnless(
  existsSync(ROOT) ? undefined : 'PLEXUS_TEST_DATA has no opencypher-tck',
);

describeWithData('the openCypher compatibility kit', () => {
  it('passes in every scenario', async () => {
    const { failing, count } = await failingScenarios();
    expect(count).toBeGreaterThan(3_000);
    expect(failing).toEqual([]);
  });
});
