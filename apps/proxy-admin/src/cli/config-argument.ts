import { readStandardInput, STANDARD_INPUT } from '#platform/cli';
import type { Disk } from '#platform/disk';

/** A configuration of the command line, with its text if it can be read only once. */
export interface ConfigArgument {
  readonly file: string;
  readonly text: string | undefined;
}

/**
 * `-` is standard input. A pipe, such as `<(…)` of a shell, is read to its end, once (ADR 0609); so is
 * `/dev/stdin`, also of a file.
 */
export async function readConfigArgument(disk: Disk, file: string): Promise<ConfigArgument> {
  if (file === '-') return { file: STANDARD_INPUT, text: await readStandardInput() };
  const isReadOnce = file.startsWith('/dev/') || (await disk.isStream(file));
  return { file, text: isReadOnce ? await disk.readText(file) : undefined };
}
