import { readStandardInput, STANDARD_INPUT } from '#platform/cli';
import type { Disk } from '#platform/disk';

/** A configuration of the command line, with its text if it can be read only once. */
export interface ConfigArgument {
  readonly file: string;
  readonly text: string | undefined;
}

/** `-` is standard input. A pipe, such as `<(…)` of a shell, is read to its end. */
export async function readConfigArgument(disk: Disk, file: string): Promise<ConfigArgument> {
  if (file === '-') return { file: STANDARD_INPUT, text: await readStandardInput() };
  return { file, text: (await disk.isStream(file)) ? await disk.readText(file) : undefined };
}
