/** Requirements of Python packages: https://packaging.python.org/en/latest/specifications/dependency-specifiers/ */
import { satisfies, validRange } from '@renovatebot/pep440';

export interface Requirement {
  readonly name: string;
  /** `>=2,<3`; empty for any version. */
  readonly range: string;
  /** Whether it is needed under a condition only, which may hold nowhere. */
  readonly isConditional: boolean;
}

const REQUIREMENT =
  /^\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:@\s*([^\s;]+)|\(?([^;)#]*)\)?)\s*(;.*)?$/;

/** Undefined for a text that is no requirement. */
export function requirementIn(text: string): Requirement | undefined {
  const [, name, address, range = '', marker] = REQUIREMENT.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, range: address ?? range.replaceAll(/\s/g, ''), isConditional: marker !== undefined };
}

/** All spellings of a name are one name. */
export function sameName(name: string): string {
  return name.replaceAll(/[-_.]+/g, '-').toLowerCase();
}

/** Whether a version may be meant; a range in other words than those of Python means any. */
export function mayMean(range: string, version: string): boolean {
  return range === '' || !validRange(range) || satisfies(version, range, { prereleases: true });
}
