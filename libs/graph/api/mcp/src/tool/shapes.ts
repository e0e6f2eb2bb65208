/** Schemas shared by several tools. */
import { z } from 'zod';

export const RECORD = z.looseObject({});
export const RECORDS = z.array(RECORD);

export const CUT = z
  .strictObject({
    shown: z.int(),
    of: z.int().describe('how many there are in all'),
    bound: z.enum(['rows', 'bytes']),
    hint: z.string().describe('how to see the rest'),
  })
  .optional()
  .describe('there only when not all is shown');

export const SHORTENED = z
  .int()
  .optional()
  .describe('records in which long texts and lists were shortened, each marked by …');

export const WARNINGS = z
  .array(z.looseObject({ code: z.string(), message: z.string() }))
  .describe('what about the question looks mistaken, such as a word that the data does not have');

export const COUNT = z.int().describe('exact, whatever is shown');

const NAME_LENGTH_MAX = 1_024;
export const NAME = z.string().min(1).max(NAME_LENGTH_MAX);

export const DIRECTION = z.enum(['out', 'in', 'any']);

const VERBS_MAX = 64;
export const VERBS = z.array(NAME).min(1).max(VERBS_MAX);

/** Maximum number of records in one answer. */
export const LIMIT_MAX = 500;

export function limit(fallback: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(1).max(LIMIT_MAX).default(fallback);
}

/** A moment of the history. A number may come as text. */
export const MOMENT = z
  .union([z.string(), z.int().min(0)])
  .describe('a time (RFC 3339), or the snapshot_version of a reply')
  .transform((given) => (typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given));

const TIMEOUT_MS_MAX = 60_000;
const TIMEOUT_MS_DEFAULT = 10_000;
export const TIMEOUT_MS = z
  .int()
  .min(1)
  .max(TIMEOUT_MS_MAX)
  .default(TIMEOUT_MS_DEFAULT)
  .describe('the service may allow less');
