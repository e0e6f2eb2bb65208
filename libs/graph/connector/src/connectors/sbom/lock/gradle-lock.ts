/**
 * `gradle.lockfile`: `group:name:version=configurations` on each line. The project is built with all of them,
 * so it depends on each.
 */
import { DomainError } from '#platform/foundation';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { LockBill } from './lock-bill.ts';

export const GRADLE_LOCK = /^# This is a Gradle generated file for dependency locking/m;

const LOCKED = /^([^:=\s]+):([^:=\s]+):([^:=\s]+)=(.*)$/;
const EMPTY = /^empty=/;

/** `folder` is the name of the project. Throws INVALID_REQUEST for a file that is cut. */
export function readGradleLock(text: string, folder: string): Bill {
  const values = new BillValues();
  const bill = new LockBill(values, 'maven');
  const root = bill.addRoot(folder);
  const lines = text.split('\n').map((line) => line.trim());
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#') || EMPTY.test(line)) continue;
    const place = `line ${index + 1}`;
    const [, group, name, version, configurations = ''] = LOCKED.exec(line) ?? [];
    if (group === undefined || name === undefined) {
      values.leaveOut(place, `expected group:name:version=configurations, got ${line.slice(0, 200)}`);
      continue;
    }
    bill.addPackage(line, { name: `${group}/${name}`, version }, place);
    const kind = configurations.split(',').every((each) => /^test/i.test(each)) ? 'test' : 'prod';
    if (root !== undefined)
      bill.depend({ owner: root, name, range: undefined, kind, candidates: [line], place });
  }
  // Gradle writes this line at the end.
  if (!lines.some((line) => EMPTY.test(line)))
    throw new DomainError(
      'INVALID_REQUEST',
      'expected a gradle.lockfile with its last line empty=…, got none',
    );
  return bill.finish();
}
