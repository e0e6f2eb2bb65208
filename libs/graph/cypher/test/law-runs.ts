import fc from 'fast-check';
import { effort } from '#testing';

/** How many cases of a law are tried, and which: `PROPERTY_RUNS` and `PROPERTY_SEED` choose others. */
export const LAW_RUNS = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(300, 60)),
  // Given, so that a case that nobody has met yet does not fail an unrelated change.
  seed: Number(process.env['PROPERTY_SEED'] ?? 1),
  verbose: fc.VerbosityLevel.Verbose,
};
