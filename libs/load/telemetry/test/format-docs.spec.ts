import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE_NAMES, TABLES } from '#load/telemetry';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/formats/telemetry-parts.md'), 'utf8');

/**
 * The documentation of a table: names and types of its columns in order, and the values of an enumeration.
 */
function documented(table: string): [string, string | readonly string[]][] {
  const [, section = ''] = PAGE.split(`### \`${table}\`\n`);
  const [own = ''] = section.split('\n### ');
  return Array.from(
    own.matchAll(/^\| `(\w+)` *\| `([\w?]+)` *\| (.*) \|$/gm),
    ([, name = '', type = '', what = '']) => {
      const choices = Array.from(what.matchAll(/`(\w+)`/g), ([, choice = '']) => choice);
      const isChoice = Array.isArray((TABLES as Record<string, Record<string, unknown>>)[table]?.[name]);
      return [name, isChoice && type === 'dict' ? choices : type];
    },
  );
}

describe('docs/formats/telemetry-parts.md', () => {
  it.each(TABLE_NAMES)('documents all columns of %s in order', (table) => {
    expect(documented(table)).toEqual(Object.entries(TABLES[table]));
  });
});
