/** The public schema of SARIF 2.1.0. */
import { Ajv } from 'ajv';
import { createRequire } from 'node:module';

interface SarifSchema extends Readonly<Record<string, unknown>> {
  readonly $schema: string;
  readonly id: string;
}

const require = createRequire(import.meta.url);
const { id: $id, ...schema } =
  require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as SarifSchema;
// The schema declares draft 4, and is valid draft 7 except for the name of `id`.
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  unicodeRegExp: false,
  formats: {
    uri: (text) => URL.canParse(text),
    'uri-reference': (text) => URL.canParse(text, 'file:///'),
    'date-time': (text) => !Number.isNaN(Date.parse(text)),
  },
});
const isSarif = ajv.compile({ ...schema, $id, $schema: DRAFT_7 });

/** What the schema has against a log. */
export function sarifFaults(log: unknown): readonly string[] {
  if (isSarif(log)) return [];
  return (isSarif.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
