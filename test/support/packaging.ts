import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, run } from './installed-program.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** The part of a product in tools/pack/products.mjs that the tests use. */
export interface ProductEntry {
  readonly programs: Readonly<Record<string, string>>;
  readonly packaging: readonly string[];
  readonly docs: readonly string[];
}

export async function products(): Promise<Readonly<Record<string, ProductEntry>>> {
  const { PRODUCTS } = (await import(join(ROOT, 'tools/pack/products.mjs'))) as {
    readonly PRODUCTS: Readonly<Record<string, ProductEntry>>;
  };
  return PRODUCTS;
}

/** Flags of Node for an app, as the launchers have them; throws for an app without a line. */
export function nodeFlags(app: string): readonly string[] {
  const lines = readFileSync(join(ROOT, 'tools/node-flags.txt'), 'utf8').split('\n');
  const [, ...flags] = lines.find((line) => line.startsWith(`${app} `))?.split(' ') ?? [];
  if (flags.length === 0) throw new Error(`tools/node-flags.txt has no flags for ${app}`);
  return flags;
}

/** A line of a unit, with its section. */
export interface UnitLine {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Lines of a systemd unit; throws for a line that is neither a comment, a section nor an assignment. */
export function unitLines(text: string): readonly UnitLine[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const opened = /^\[(Unit|Service|Install)\]$/.exec(line)?.[1];
    section = opened ?? section;
    if (opened !== undefined) return [];
    const { key, value } = /^(?<key>[A-Z]\w+)=(?<value>.*)$/.exec(line)?.groups ?? {};
    if (key === undefined || value === undefined || section === '')
      throw new Error(`no line of a unit: ${line}`);
    return [{ section, key, value }];
  });
}

/** An instruction of a Containerfile; `words` are those of its JSON form. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly words: readonly string[];
}

const INSTRUCTIONS =
  /^(ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|RUN|STOPSIGNAL|USER|VOLUME|WORKDIR) (.+)$/;

/** Instructions of a Containerfile; throws for an invalid line. */
export function instructions(text: string): readonly Instruction[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name, rest = ''] = INSTRUCTIONS.exec(line) ?? [];
    if (name === undefined) throw new Error(`no instruction: ${line}`);
    const json = /(?:^|CMD )(\[.*\])$/.exec(rest)?.[1];
    return [{ name, text: rest, words: json === undefined ? [] : (JSON.parse(json) as string[]) }];
  });
}

/** The help output of the built programs. */
export class Helps {
  readonly #apps: Readonly<Record<string, string>>;
  readonly #texts = new Map<string, Promise<Ended>>();

  /** Programs by name, each with its file in dist/programs. */
  constructor(apps: Readonly<Record<string, string>>) {
    this.#apps = apps;
  }

  /** Flags and commands that the program does not have. */
  async unknownWords(program: string, words: readonly string[]): Promise<readonly string[]> {
    const own = await this.#text(program);
    const commands = new Set(Array.from(own.matchAll(/^ {2}([a-z][\w-]*)/gm), ([, name = '']) => name));
    const command = words.find((word) => commands.has(word));
    const texts = [own, ...(command === undefined ? [] : [await this.#text(program, command)])].join('\n');
    const flags = new Set(texts.match(/--[\w-]+/g));
    const unknown = words.filter((word) => word.startsWith('-') && !flags.has(word));
    const first = words.find((word) => !word.startsWith('-'));
    const needsCommand = commands.size > 0 && command === undefined;
    return needsCommand ? [...unknown, first ?? 'no command'] : unknown;
  }

  async #text(program: string, ...command: readonly string[]): Promise<string> {
    const app = this.#apps[program];
    if (app === undefined) throw new Error(`no program ${program}`);
    const main = join(ROOT, 'dist/programs', `${app}.js`);
    const key = [app, ...command].join(' ');
    const asked =
      this.#texts.get(key) ?? run([process.execPath, main, ...command, '--help'], { folder: ROOT });
    this.#texts.set(key, asked);
    return (await asked).stdout;
  }
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
