/**
 * The Jest project of each spec. Laws and endurance are kinds of tests, named by a suffix. The project of the
 * others follows from what they start: a browser; servers, programs or directories; or nothing. A spec starts
 * what it imports for that, itself or in the helpers that it imports; the code under test is not followed.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SPECS = '{apps,libs,test,tools,web}/**/*.{spec,e2e-spec}.ts';
const LAWS = /\.(?:prop|golden|conformance)\.spec\.ts$/;
const ENDURANCE = /\.(?:crash|kill|long)\.spec\.ts$/;
/** Tests of a whole application, which is not beside them. */
const WHOLE = /\.e2e-spec\.ts$/;
const APP_SOURCE = /^apps\/[^/]+\/src\//;
/** Helpers of tests, which only tests import. */
const HELPERS = /(?:^|\/)(?:test|testing)\//;
const IMPORTS = /^import (?!type )([^;]*?) from '([^']+)'/gm;
const DYNAMIC_IMPORTS = /\bimport\('([^']+)'\)/g;
const EXPORTS = /^export \{([^}]*)\} from '([^']+)'/gm;

export type SpecProject = 'unit' | 'laws' | 'apps' | 'browser' | 'endurance';
/** Patterns of imported names, by module. */
type Modules = Readonly<Record<string, RegExp>>;

interface Import {
  readonly names: string;
  readonly from: string;
}

/** What opens or starts something outside of the test's own memory, by module. */
const STARTERS: Modules = {
  'node:child_process': /./,
  'node:cluster': /./,
  'node:dgram': /./,
  'node:fs': /\bmkdtemp(?:Sync)?\b/,
  'node:fs/promises': /\bmkdtemp\b/,
  'node:http': /\b(?:createServer|Server|request|get|Agent)\b/,
  'node:http2': /\b(?:createServer|createSecureServer|connect)\b/,
  'node:https': /\b(?:createServer|Server|request|get|Agent)\b/,
  'node:net': /\b(?:createServer|Server|connect|createConnection|Socket)\b/,
  'node:tls': /\b(?:createServer|Server|connect)\b/,
  '@nestjs/testing': /./,
  ws: /./,
};
const BROWSERS: Modules = { 'playwright-core': /./ };

export class SpecProjects {
  readonly #root: string;
  readonly #texts = new Map<string, string>();
  readonly #doors = new Map<string, ReadonlyMap<string, string>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The specs of each project, as paths from the root. */
  all(): Readonly<Record<SpecProject, readonly string[]>> {
    const projects: Record<SpecProject, string[]> = {
      unit: [],
      laws: [],
      apps: [],
      browser: [],
      endurance: [],
    };
    const exclude = (path: string) => /(?:^|\/)(?:node_modules|dist|nodes)$/.test(path);
    for (const path of globSync(SPECS, { cwd: this.#root, exclude }).sort())
      projects[this.of(path)].push(path);
    return projects;
  }

  of(path: string): SpecProject {
    if (ENDURANCE.test(path)) return 'endurance';
    if (LAWS.test(path)) return 'laws';
    if (this.#imports(path, BROWSERS)) return 'browser';
    return WHOLE.test(path) || this.#imports(path, STARTERS) ? 'apps' : 'unit';
  }

  /** Whether the file, or a helper that it imports, imports one of the names of these modules. */
  #imports(path: string, modules: Modules, seen = new Set<string>()): boolean {
    if (seen.has(path)) return false;
    seen.add(path);
    return this.#importsOf(path).some((imported) => {
      const { names, from } = imported;
      const started = modules[from];
      if (started !== undefined) return started.test(names);
      if (modules === STARTERS && isOfAnApp(path, from)) return true;
      return this.#helpers(path, imported).some((helper) => this.#imports(helper, modules, seen));
    });
  }

  #importsOf(path: string): readonly Import[] {
    const text = this.#read(path);
    const bound = Array.from(text.matchAll(IMPORTS), ([, names = '', from = '']) => ({ names, from }));
    const awaited = Array.from(text.matchAll(DYNAMIC_IMPORTS), ([, from = '']) => ({ names: '*', from }));
    return [...bound, ...awaited];
  }

  /** The helpers behind an import: a file beside the spec, or files of the names from a test library. */
  #helpers(path: string, { names, from }: Import): readonly string[] {
    if (from.startsWith('.')) {
      const file = join(dirname(path), from);
      return HELPERS.test(file) && existsSync(join(this.#root, file)) ? [file] : [];
    }
    const [, library] = /^#((?:[a-z]+\/)?testing)$/.exec(from) ?? [];
    if (library === undefined) return [];
    const door = this.#doorOf(`libs/${library}/src`);
    return namesIn(names).flatMap((name) => door.get(name) ?? []);
  }

  /** The file that each name of a test library comes from. */
  #doorOf(folder: string): ReadonlyMap<string, string> {
    const known = this.#doors.get(folder);
    if (known !== undefined) return known;
    const door = new Map<string, string>();
    for (const [, names = '', from = ''] of this.#read(`${folder}/index.ts`).matchAll(EXPORTS))
      for (const name of namesIn(names)) door.set(name, join(folder, from));
    this.#doors.set(folder, door);
    return door;
  }

  #read(path: string): string {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const text = readFileSync(join(this.#root, path), 'utf8');
    this.#texts.set(path, text);
    return text;
  }
}

/** A program started in the test's own process. */
function isOfAnApp(path: string, from: string): boolean {
  return !APP_SOURCE.test(path) && from.startsWith('.') && APP_SOURCE.test(join(dirname(path), from));
}

/** The values of `{ a, type B, c as d }`. */
function namesIn(list: string): readonly string[] {
  return list
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !name.startsWith('type '))
    .flatMap((name) => name.split(' as ').slice(0, 1));
}
