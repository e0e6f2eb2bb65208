import { accessSync, constants } from 'node:fs';

/** Whether there is a file that this process may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
