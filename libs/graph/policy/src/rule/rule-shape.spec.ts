import { expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { referenceRows, referenceTable } from '#platform/config';
import { RULE_SHAPE } from './rule-shape.ts';

const PAGE = join(import.meta.dirname, '../../../../../docs/policies.md');

it('the documentation page describes every key of a rule (UPDATE_GOLDEN=1 rewrites it)', async () => {
  const page = await readFile(PAGE, 'utf8');
  const keys = referenceTable(referenceRows(RULE_SHAPE));
  const wanted = page.replace(
    /<!-- keys -->.*<!-- \/keys -->/s,
    () => `<!-- keys -->\n\n${keys}\n\n<!-- /keys -->`,
  );

  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, wanted);
  else expect(page).toBe(wanted);
});
