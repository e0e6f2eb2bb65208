import { basename } from 'node:path';
import { type Disk, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { headPath, trailFiles } from './audit-file.ts';
import { CHAIN_START, type ChainPlace, follows, readHead, readLine } from './chain.ts';

export interface TrailVerdict {
  readonly events: number;
  readonly files: number;
  /** Number of the first event. */
  readonly first: number;
  readonly last: ChainPlace;
  readonly faults: readonly string[];
  /** What is no fault, and worth to know. */
  readonly notices: readonly string[];
}

const FAULTS_MAX = 20;

const ATTEMPTS_MAX = 5;

/** A process may be killed between a line and its place in the head. */
const AHEAD_MAX = 1;

/**
 * Checks the chain over all files of a trail, and its end against the head file. `from` is the first event
 * that is expected to be there: earlier files may have been moved away. Throws NOT_FOUND.
 */
export async function verifyTrail(disk: Disk, path: string, from = 1): Promise<TrailVerdict> {
  // A running program may begin another file meanwhile; a trail that is altered all the time is none.
  for (let attempt = 1; ; attempt++) {
    const files = await filesOf(disk, path);
    const verdict = await verdictOf(disk, path, { files, from });
    if (attempt === ATTEMPTS_MAX || String(await filesOf(disk, path)) === String(files)) return verdict;
  }
}

async function verdictOf(
  disk: Disk,
  path: string,
  { files, from }: { readonly files: readonly string[]; readonly from: number },
): Promise<TrailVerdict> {
  // The program writes on: what it has noted before is there, and what is there is noted afterwards.
  const check = new TrailCheck(from, await headOf(disk, path));
  for (const file of files) check.file(basename(file), await textOf(disk, file), file === files.at(-1));
  check.end(await headOf(disk, path));
  return check.verdict(files.length);
}

class TrailCheck {
  readonly #from: number;
  readonly #head: ChainPlace | undefined;
  readonly #faults: string[] = [];
  readonly #notices: string[] = [];
  #first = 0;
  #events = 0;
  #place: ChainPlace = CHAIN_START;

  /** `head` is the place that was the last one before the files were read. */
  constructor(from: number, head: ChainPlace | undefined) {
    this.#from = from;
    this.#head = head;
  }

  file(name: string, text: string, isLast: boolean): void {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const [at, line] of lines.entries()) this.#line(line, `${name}:${at + 1}`);
    if (rest === '') return;
    const torn = `${name}:${lines.length + 1}: the last line is incomplete`;
    if (isLast)
      this.#notices.push(`${torn}: a program that was killed leaves one, and the next start cuts it`);
    else this.#faults.push(torn);
  }

  /** Compares the end with the places that the program had noted before, and has noted after. */
  end(after: ChainPlace | undefined): void {
    const { n } = this.#place;
    const head = this.#head;
    if (head === undefined || after === undefined)
      this.#faults.push('the file of the last place is missing or not readable');
    else if (head.n > n) this.#faults.push(`the end is cut: events ${n + 1} to ${head.n} are missing`);
    else if (n > after.n + AHEAD_MAX) this.#faults.push(`events ${after.n + 1} to ${n} were added by others`);
  }

  verdict(files: number): TrailVerdict {
    const faults = this.#faults.slice(0, FAULTS_MAX);
    if (this.#faults.length > FAULTS_MAX) faults.push(`${this.#faults.length - FAULTS_MAX} more`);
    return {
      events: this.#events,
      files,
      first: this.#first,
      last: this.#place,
      faults,
      notices: this.#notices,
    };
  }

  #line(line: string, where: string): void {
    const event = readLine(line);
    if (event === undefined) {
      this.#faults.push(`${where}: expected a line of an audit trail`);
      return;
    }
    const fault = this.#events === 0 ? this.#firstFault(event.n, line) : this.#faultOf(event.n, line);
    if (fault !== undefined) this.#faults.push(`${where}: ${fault}`);
    if (event.n === this.#head?.n && event.hash !== this.#head.hash)
      this.#faults.push(`${where}: event ${event.n} is not the one that was written`);
    if (this.#events === 0) this.#first = event.n;
    this.#events++;
    this.#place = { n: event.n, hash: event.hash };
  }

  #firstFault(n: number, line: string): string | undefined {
    if (n !== this.#from) return `events ${this.#from} to ${n - 1} are missing`;
    return n > 1 || follows(line, CHAIN_START) ? undefined : `event ${n} was changed`;
  }

  #faultOf(n: number, line: string): string | undefined {
    const { n: before } = this.#place;
    if (n === before + 1)
      return follows(line, this.#place) ? undefined : `event ${n}, or the one before, was changed`;
    if (n > before + 1) return `events ${before + 1} to ${n - 1} are missing`;
    return `event ${n} stands after event ${before}`;
  }
}

async function filesOf(disk: Disk, path: string): Promise<readonly string[]> {
  const files = await trailFiles(disk, path).catch((error: unknown) => {
    if (!isMissingFile(error)) throw error;
    return [];
  });
  if (files.length === 0) throw new DomainError('NOT_FOUND', `${path}: there is no audit trail`);
  return files;
}

/** Nothing, where a file that was listed has been renamed: the next attempt lists it again. */
async function textOf(disk: Disk, file: string): Promise<string> {
  return disk.readLooseText(file).catch((error: unknown) => {
    if (!isMissingFile(error)) throw error;
    return '';
  });
}

async function headOf(disk: Disk, path: string): Promise<ChainPlace | undefined> {
  try {
    return readHead(await disk.readLooseText(headPath(path)));
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
