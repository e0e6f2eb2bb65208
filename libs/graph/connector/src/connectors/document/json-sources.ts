import { extname } from 'node:path';
import type { Disk } from '#platform/disk';
import type { StepContext } from '../../run/step.ts';
import { DocumentValue } from './document-value.ts';
import { parseJson } from './json-text.ts';
import { readSourceFile } from './source-file.ts';
import { shownName, sourceFiles } from './source-files.ts';

export interface JsonSource {
  readonly source: string;
  /** In a directory, files with other names are counted, and not read. */
  readonly extensions: readonly string[];
  /** The expected document, for messages. */
  readonly what: string;
}

/** A file of a source, with its name within the source. */
export interface NamedDocument {
  readonly name: string;
  readonly document: DocumentValue;
}

/** The JSON documents of a file, directory or pattern, each read whole. Places begin with the file's name. */
export async function* jsonDocuments(
  disk: Disk,
  { source, extensions, what }: JsonSource,
  context: Pick<StepContext<unknown>, 'ignored' | 'signal'>,
): AsyncGenerator<NamedDocument> {
  const { files, areOfDirectory } = await sourceFiles(disk, source);
  for (const file of files) {
    context.signal.throwIfAborted();
    if (areOfDirectory && !extensions.includes(extname(file).toLowerCase())) {
      context.ignored('files with other names');
      continue;
    }
    const name = shownName(file, source);
    const value = await readSourceFile(disk, { file, source }, (text) => parseJson(text, what));
    yield { name, document: DocumentValue.of(value, name) };
  }
}
