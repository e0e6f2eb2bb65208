import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../docs/guarded-controller.md'), 'utf8');

/** The guide's locations of the files in this folder. */
const PLACES: Readonly<Record<string, string>> = {
  "'./inventory.module.ts'": "'../src/inventory/inventory.module.ts'",
  "'../support/test-service.ts'": "'./support/test-service.ts'",
};

describe('the guide to a guarded controller', () => {
  it.each(['inventory.controller.ts', 'inventory.module.ts', 'inventory.e2e-spec.ts'])(
    'shows %s as it is run here',
    (name) => {
      const file = readFileSync(join(import.meta.dirname, name), 'utf8');
      const placed = Object.entries(PLACES).reduce((text, [here, there]) => text.replace(here, there), file);

      expect(GUIDE).toContain(`\`\`\`ts\n${placed}\`\`\``);
    },
  );
});
