import { DomainError } from '#platform/foundation';
import { ANY_TYPE, type EmittedTypes } from './step.ts';

/** The part of a step that planning needs. */
export interface PlannedStep {
  readonly id: string;
  readonly dependsOn?: readonly string[];
  readonly incremental?: boolean;
  readonly emits?: EmittedTypes;
}

/**
 * Waves of steps: wave n holds, in their given order, the steps whose dependencies all lie in earlier waves.
 * Pure. Throws INVALID_CONFIG for a duplicate id, an unknown dependency, an incremental step without declared
 * types, and a cycle, with its names: `a → b → a`.
 */
export function planWaves<S extends PlannedStep>(steps: readonly S[]): readonly (readonly S[])[] {
  refuseDuplicates(steps);
  const waves: S[][] = [];
  const placed = new Set<string>();
  let left = [...steps];
  refuseUnknown(steps);
  refuseUndeclared(steps);
  while (left.length > 0) {
    const wave = left.filter(({ dependsOn = [] }) => dependsOn.every((id) => placed.has(id)));
    if (wave.length === 0) throw refusal(`steps wait for each other: ${cycleIn(left).join(' → ')}`);
    for (const { id } of wave) placed.add(id);
    left = left.filter(({ id }) => !placed.has(id));
    waves.push(wave);
  }
  return waves;
}

/** One line per wave: `1: users, groups`. */
export function printWaves(waves: readonly (readonly PlannedStep[])[]): string {
  return waves.map((wave, index) => `${index + 1}: ${wave.map(({ id }) => id).join(', ')}`).join('\n');
}

function refuseDuplicates(steps: readonly PlannedStep[]): void {
  const seen = new Set<string>();
  for (const { id } of steps) {
    if (seen.has(id)) throw refusal(`two steps have the id ${id}`);
    seen.add(id);
  }
}

function refuseUnknown(steps: readonly PlannedStep[]): void {
  const ids = new Set(steps.map(({ id }) => id));
  for (const { id, dependsOn = [] } of steps) {
    const unknown = dependsOn.find((other) => !ids.has(other));
    if (unknown !== undefined) throw refusal(`step ${id} depends on ${unknown}, and there is no such step`);
  }
}

/** What an incremental step keeps is what it declares. */
function refuseUndeclared(steps: readonly PlannedStep[]): void {
  const step = steps.find(({ incremental, emits }) => {
    const types = [...(emits?.entities ?? []), ...(emits?.relationships ?? [])];
    return incremental === true && (types.length === 0 || types.includes(ANY_TYPE));
  });
  if (step === undefined) return;
  throw refusal(`step ${step.id} is incremental: expected the types and verbs that it emits, by name`);
}

/** Every remaining step depends on another remaining one: following the dependencies finds a cycle. */
function cycleIn(left: readonly PlannedStep[]): readonly string[] {
  const byId = new Map(left.map((step) => [step.id, step]));
  const path: string[] = [];
  let id = left[0]?.id ?? '';
  while (!path.includes(id)) {
    path.push(id);
    id = byId.get(id)?.dependsOn?.find((other) => byId.has(other)) ?? '';
  }
  return [...path.slice(path.indexOf(id)), id];
}

function refusal(message: string): DomainError {
  return new DomainError('INVALID_CONFIG', message);
}
