import type { StepContext } from '../../run/step.ts';
import type { HostFiles } from './host-files.ts';
import { debianSource, dpkgStateOf, type InstalledPackage } from './installed-package.ts';
import { readRpmBerkeley } from './rpm-berkeley.ts';
import { readRpmNdb } from './rpm-ndb.ts';
import { readRpmSqlite } from './rpm-sqlite.ts';

const RPM_DATABASES = ['/usr/lib/sysimage/rpm', '/var/lib/rpm'];
const RPM_SQLITE = 'rpmdb.sqlite';
const RPM_OLDER = [
  ['Packages.db', readRpmNdb],
  ['Packages', readRpmBerkeley],
] as const;

type Context = Pick<StepContext<unknown>, 'incomplete'>;

/** Packages by the databases of dpkg, apk and rpm. What is not read of a database is reported. */
export async function installedPackages(
  files: HostFiles,
  context: Context,
): Promise<readonly InstalledPackage[]> {
  const packages: InstalledPackage[] = [];
  for (const path of DEB.paths) packages.push(...(await packagesOf(files, path, DEB, context)));
  for (const name of await files.databases(DEB_DIRECTORY)) {
    if (name.endsWith('.md5sums')) continue;
    const path = `${DEB_DIRECTORY}/${name}`;
    const text = (await files.database(path)) ?? '';
    packages.push(
      ...packagesIn({ path, text: text.trimStart() }, { ...DEB, packageIn: barePackage }, context),
    );
  }
  for (const path of APK.paths) packages.push(...(await packagesOf(files, path, APK, context)));
  for (const directory of RPM_DATABASES) packages.push(...(await rpmPackages(files, directory, context)));
  return packages;
}

/** A package, none, or what is expected instead. */
type Found = InstalledPackage | string | undefined;

/** A database of paragraphs. */
interface TextDatabase {
  readonly system: InstalledPackage['system'];
  readonly paths: readonly string[];
  readonly packageIn: (paragraph: string) => Found;
}

const DEB: TextDatabase = { system: 'deb', paths: ['/var/lib/dpkg/status'], packageIn: dpkgPackage };
/** Of images without dpkg, a file for each package. */
const DEB_DIRECTORY = '/var/lib/dpkg/status.d';
const APK: TextDatabase = {
  system: 'apk',
  paths: ['/lib/apk/db/installed', '/usr/lib/apk/db/installed'],
  packageIn: apkPackage,
};

interface Paragraph {
  readonly text: string;
  /** Its first line, from 1. */
  readonly line: number;
}

async function packagesOf(
  files: HostFiles,
  path: string,
  database: TextDatabase,
  context: Context,
): Promise<readonly InstalledPackage[]> {
  const text = await files.database(path);
  if (text === undefined) return [];
  requireEnd(context, database.system, path, text);
  return packagesIn({ path, text }, database, context);
}

function packagesIn(
  { path, text }: { readonly path: string; readonly text: string },
  { system, packageIn }: TextDatabase,
  context: Context,
): readonly InstalledPackage[] {
  return Array.from(paragraphsIn(text), (paragraph) => {
    const found = packageIn(paragraph.text);
    if (typeof found !== 'string') return found;
    leaveOut(context, system, `${path}: ${found} in line ${paragraph.line}`);
    return undefined;
  }).filter((found) => found !== undefined);
}

function* paragraphsIn(text: string): Iterable<Paragraph> {
  let line = 1;
  for (const part of text.split(/(\n(?:[ \t]*\n)+)/)) {
    if (part.trim() !== '') yield { text: part, line };
    line += part.split('\n').length - 1;
  }
}

/** Only packages whose files are there, not those of which only the settings are left. */
function dpkgPackage(text: string): Found {
  const fields = new Map(
    Array.from(text.matchAll(/^([A-Za-z-]+):[ \t]*(.*)$/gm), ([, name = '', value = '']) => [
      name.toLowerCase(),
      value.trim(),
    ]),
  );
  const name = fields.get('package');
  const version = fields.get('version');
  const state = dpkgStateOf(fields.get('status'));
  if (name === undefined || state === undefined) return 'expected a package with its status';
  if (!state.isPresent) return undefined;
  if (version === undefined || version === '') return `expected the version of ${name}`;
  return {
    system: 'deb',
    name,
    version,
    architecture: fields.get('architecture'),
    ...debianSource(fields.get('source')),
    state: state.name === 'installed' ? undefined : state.name,
  };
}

/** One without a status is installed. */
function barePackage(text: string): Found {
  return dpkgPackage(`Status: install ok installed\n${text}`);
}

/** Lines with a letter: `P:musl`, `V:1.2.4-r1`, `A:x86_64`, `L:MIT`, `o:musl`. */
function apkPackage(text: string): Found {
  const fields = new Map(
    Array.from(text.matchAll(/^([A-Za-z]):(.*)$/gm), ([, name = '', value = '']) => [name, value]),
  );
  const name = fields.get('P') ?? '';
  const version = fields.get('V') ?? '';
  if (name === '') return 'expected the name of a package (P:)';
  if (version === '') return `expected the version (V:) of ${name}`;
  const origin = fields.get('o');
  const source = origin === name ? undefined : origin;
  return { system: 'apk', name, version, architecture: fields.get('A'), license: fields.get('L'), source };
}

/** The database that is in use: one that was converted may have left the older one beside it. */
async function rpmPackages(
  files: HostFiles,
  directory: string,
  context: Context,
): Promise<readonly InstalledPackage[]> {
  const names = await files.databases(directory);
  const pathOf = (name: string): string => `${directory}/${name}`;
  if (!names.includes(RPM_SQLITE)) {
    for (const [name, read] of RPM_OLDER)
      if (names.includes(name)) return read(await files.bytes(pathOf(name)));
    return [];
  }
  // Read as it is, the database lacks what has not been written back to it, or has what was not committed.
  for (const name of [`${RPM_SQLITE}-wal`, `${RPM_SQLITE}-journal`])
    if (names.includes(name) && (await files.size(pathOf(name))) > 0)
      leaveOut(context, 'rpm', `${directory}: changes in ${name} are not read`);
  return readRpmSqlite(await files.placeOf(pathOf(RPM_SQLITE)));
}

/** Both systems end each package with a line end: without it, the file is cut. */
function requireEnd(context: Context, system: InstalledPackage['system'], path: string, text: string): void {
  if (text === '' || text.endsWith('\n')) return;
  const { length } = text.split('\n');
  leaveOut(context, system, `${path}: expected the end of line ${length}, got the end of the file`);
}

function leaveOut(context: Context, system: InstalledPackage['system'], reason: string): void {
  context.incomplete([`${system}_package`, 'CONTAINS'], reason);
}
