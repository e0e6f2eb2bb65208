import type { Disk } from '#platform/disk';
import { DomainError, utf8Text } from '#platform/foundation';
import { DocumentValue } from '../document/document-value.ts';
import { parseJson } from '../document/json-text.ts';
import { readSourceFile } from '../document/source-file.ts';
import { shownName, sourceFiles } from '../document/source-files.ts';
import { withZipMembers, type ZipMember } from '../document/zip-members.ts';

const ADVISORY_BYTES_MAX = 16_777_216;
/** In a zip or a directory: npm has over 200,000. */
const ADVISORIES_MAX = 1_000_000;

/** Calls `use` with the advisories of zips and JSON files, one at a time in memory; others are counted. */
export async function withAdvisories(
  disk: Disk,
  source: string,
  {
    use,
    onOther,
  }: { readonly use: (advisory: DocumentValue) => Promise<void> | void; readonly onOther: () => void },
): Promise<void> {
  const { files, areOfDirectory } = await sourceFiles(disk, source, { filesMax: ADVISORIES_MAX });
  for (const file of files) {
    const name = shownName(file, source);
    if (/\.zip$/i.test(file)) await useZip(disk, { file, name }, { use, onOther });
    else if (areOfDirectory && !/\.json$/i.test(file)) onOther();
    else
      await readSourceFile(disk, { file, source }, async (text) => {
        for (const advisory of advisoriesIn(text, name)) await use(advisory);
      });
  }
}

async function useZip(
  disk: Disk,
  { file, name }: { readonly file: string; readonly name: string },
  { use, onOther }: Parameters<typeof withAdvisories>[2],
): Promise<void> {
  const each = async (members: readonly ZipMember[]): Promise<void> => {
    for (const member of members) {
      if (!/\.json$/i.test(member.name)) onOther();
      else
        for (const advisory of advisoriesIn(await textOf(member), `${name}/${member.name}`))
          await use(advisory);
    }
  };
  try {
    await withZipMembers(disk, file, each, { membersMax: ADVISORIES_MAX });
  } catch (error) {
    if (!(error instanceof DomainError) || error.message.startsWith(name)) throw error;
    throw new DomainError(error.code, `${name}: ${error.message}`, { cause: error });
  }
}

async function textOf(member: ZipMember): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of member.read()) {
    bytes += piece.length;
    if (bytes > ADVISORY_BYTES_MAX)
      throw new DomainError(
        'INVALID_REQUEST',
        `${member.name}: expected at most ${ADVISORY_BYTES_MAX} bytes`,
      );
    pieces.push(piece);
  }
  const text = utf8Text(Buffer.concat(pieces));
  if (text !== undefined) return text;
  throw new DomainError('INVALID_REQUEST', `${member.name}: expected UTF-8, got another encoding`);
}

/** One advisory, or a list of them, as the API of OSV answers: `{"vulns": […]}`. */
function advisoriesIn(text: string, place: string): readonly DocumentValue[] {
  const value = parseJson(text, `an advisory of OSV in ${place}`);
  if (Array.isArray(value)) return value.map((each, index) => DocumentValue.of(each, `${place}[${index}]`));
  const document = DocumentValue.of(value, place);
  return document.has('vulns') ? document.objects('vulns') : [document];
}
