/** The kinds of files in a data directory. Numbers are never reused within a kind. */
export const MANIFEST_FILE = 'MANIFEST';
export const MANIFEST_DRAFT = 'MANIFEST.tmp';
/** What a repair has cut off: `damaged-<name>`. */
export const KEPT_BY_REPAIR = 'damaged-';
export const WAL_SPARE = 'wal-spare.tmp';

const DIGITS = 10;

export type FileKind = 'wal' | 'segment' | 'image';

export function fileName(kind: FileKind, number: number): string {
  return `${kind}-${String(number).padStart(DIGITS, '0')}`;
}

/** The number in the name of a file of this kind; undefined for any other name. */
export function fileNumber(kind: FileKind, name: string): number | undefined {
  const digits = name.slice(kind.length + 1);
  return name.startsWith(`${kind}-`) && /^\d{10,}$/.test(digits) ? Number(digits) : undefined;
}

/** The files of one kind, by number. */
export function filesOfKind(kind: FileKind, names: readonly string[]): { name: string; number: number }[] {
  return names
    .flatMap((name) => {
      const number = fileNumber(kind, name);
      return number === undefined ? [] : [{ name, number }];
    })
    .sort((a, b) => a.number - b.number);
}
