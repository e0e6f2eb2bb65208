import { basename } from 'node:path';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { type JsonPart, JsonElements } from '../document/json-elements.ts';
import { named, withName } from '../document/named-fault.ts';
import { shownName, sourceFiles } from '../document/source-files.ts';
import { piecesOf } from '../document/source-pieces.ts';
import { withZipMembers, type ZipMember } from '../document/zip-members.ts';

/** The lists of a file of a collector, and of OpenGraph. */
const LISTS = ['data', 'graph.nodes', 'graph.edges'];

/** A JSON document of a source: a file, or a member of a zip. */
export interface JsonFile {
  /** For messages: `all.zip/users.json`. */
  readonly name: string;
  /**
   * The parts of the document, in order; the paths of its lists are added to `lists`. A fault names the file.
   */
  parts(lists?: Set<string>): AsyncGenerator<JsonPart>;
}

/**
 * Calls `use` with the documents of a file, directory or pattern; what has other names is counted by
 * `onOther`.
 */
export async function withJsonFiles(
  disk: Disk,
  source: string,
  { use, onOther }: { use: (file: JsonFile) => Promise<void>; onOther: () => void },
): Promise<void> {
  const { files, areOfDirectory } = await sourceFiles(disk, source);
  for (const path of files) {
    const name = shownName(path, source);
    if (/\.zip$/i.test(path)) await named(name, () => useZip(disk, { path, name }, { use, onOther }));
    else if (areOfDirectory && !/\.json$/i.test(path)) onOther();
    else await use(jsonFile(name, () => piecesOf(disk, path)));
  }
}

function useZip(
  disk: Disk,
  { path, name }: { readonly path: string; readonly name: string },
  { use, onOther }: Parameters<typeof withJsonFiles>[2],
): Promise<void> {
  return withZipMembers(disk, path, async (members) => {
    if (!members.some(isJson))
      throw new DomainError('INVALID_REQUEST', 'expected files of a collector (.json), got none');
    for (const member of members) {
      if (isJson(member)) await use(jsonFile(`${name}/${member.name}`, () => member.read()));
      else onOther();
    }
  });
}

function isJson({ name }: ZipMember): boolean {
  return /\.json$/i.test(name) && !basename(name).startsWith('.');
}

function jsonFile(name: string, read: () => AsyncIterable<Uint8Array>): JsonFile {
  return { name, parts: (lists) => partsOf(name, read(), lists) };
}

async function* partsOf(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
  lists = new Set<string>(),
): AsyncGenerator<JsonPart> {
  const elements = new JsonElements(LISTS);
  try {
    for await (const piece of pieces) yield* elements.feed(piece);
    elements.finish();
    for (const path of elements.lists) lists.add(path);
  } catch (error) {
    throw withName(name, error);
  }
}
