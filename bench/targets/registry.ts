import type { OpenTarget, Target, TargetSetup } from './target.ts';

/** Each engine is loaded only in the process that measures it. */
const TARGETS = {
  plexus: async () => (await import('./plexus.ts')).openPlexus,
  sqlite: async () => (await import('./sqlite.ts')).openSqlite,
  postgres: async () => (await import('./postgres.ts')).openPostgres,
  duckdb: async () => (await import('./duckdb.ts')).openDuckdb,
  lmdb: async () => (await import('./lmdb.ts')).openLmdb,
  ladybug: async () => (await import('./ladybug.ts')).openLadybug,
  grafeo: async () => (await import('./grafeo.ts')).openGrafeo,
  graphology: async () => (await import('./graphology.ts')).openGraphology,
} as const satisfies Readonly<Record<string, () => Promise<OpenTarget>>>;

export type TargetName = keyof typeof TARGETS;

export const TARGET_NAMES = Object.keys(TARGETS) as readonly TargetName[];

/** Loads the engine's code, without opening anything. */
export function loadEngine(name: TargetName): Promise<OpenTarget> {
  return TARGETS[name]();
}

export async function openTarget(name: TargetName, setup: TargetSetup): Promise<Target> {
  const open = await loadEngine(name);
  return open(setup);
}
