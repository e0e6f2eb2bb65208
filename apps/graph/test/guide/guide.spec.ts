import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../../../docs');

/** The guides' locations of the files in this folder. */
const PLACES: Readonly<Record<string, string>> = {
  "'./inventory.module.ts'": "'../src/inventory/inventory.module.ts'",
  "'../support/test-service.ts'": "'./support/test-service.ts'",
};

describe('the guide', () => {
  it.each([
    ['guarded-controller.md', 'inventory.controller.ts'],
    ['guarded-controller.md', 'inventory.module.ts'],
    ['guarded-controller.md', 'inventory.e2e-spec.ts'],
    ['adding-a-metric.md', 'lookup.controller.ts'],
    ['adding-a-metric.md', 'lookup.module.ts'],
  ])('%s shows %s as it is run here', (guide, name) => {
    const file = readFileSync(join(import.meta.dirname, name), 'utf8');
    // A specification lies elsewhere in the guide than here.
    const isSpec = name.endsWith('-spec.ts');
    const placed = Object.entries(isSpec ? PLACES : {}).reduce(
      (text, [here, there]) => text.replace(here, there),
      file,
    );

    expect(readFileSync(join(DOCS, guide), 'utf8')).toContain(`\`\`\`ts\n${placed}\`\`\``);
  });
});
