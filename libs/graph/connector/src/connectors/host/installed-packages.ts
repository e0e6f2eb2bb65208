import type { StepContext } from '../../run/step.ts';
import type { HostFiles } from './host-files.ts';
import type { InstalledPackage } from './installed-package.ts';
import { readRpmDatabase } from './rpm-database.ts';

const RPM_DATABASES = ['/usr/lib/sysimage/rpm', '/var/lib/rpm'];

/** Packages by the databases of dpkg, apk and rpm. A database in a form that is not read is reported. */
export async function installedPackages(
  files: HostFiles,
  context: Pick<StepContext<unknown>, 'incomplete'>,
): Promise<readonly InstalledPackage[]> {
  const packages = [...dpkgPackages((await files.database('/var/lib/dpkg/status')) ?? '')];
  for (const name of await files.list('/var/lib/dpkg/status.d')) {
    if (name.endsWith('.md5sums')) continue;
    const text = (await files.database(`/var/lib/dpkg/status.d/${name}`)) ?? '';
    // Images without dpkg state no status.
    packages.push(...dpkgPackages(`Status: install ok installed\n${text.trimStart()}`));
  }
  for (const path of ['/lib/apk/db/installed', '/usr/lib/apk/db/installed'])
    packages.push(...apkPackages((await files.database(path)) ?? ''));
  for (const directory of RPM_DATABASES) {
    const names = await files.list(directory);
    if (names.includes('rpmdb.sqlite'))
      packages.push(...(await readRpmDatabase(files.pathOf(`${directory}/rpmdb.sqlite`))));
    else if (names.some((name) => name === 'Packages' || name === 'Packages.db'))
      context.incomplete(
        ['rpm_package', 'CONTAINS'],
        `${directory}: expected rpmdb.sqlite, got an older database`,
      );
  }
  return packages;
}

/** Paragraphs of fields: only packages that are installed, not those of which only the settings are left. */
export function dpkgPackages(text: string): readonly InstalledPackage[] {
  return text.split(/\n(?:[ \t]*\n)+/).flatMap((paragraph) => {
    const fields = new Map(
      Array.from(paragraph.matchAll(/^([A-Za-z-]+):[ \t]*(.*)$/gm), ([, name = '', value = '']) => [
        name.toLowerCase(),
        value.trim(),
      ]),
    );
    const name = fields.get('package');
    const version = fields.get('version');
    const isInstalled = fields.get('status')?.split(/\s+/)[2] === 'installed';
    if (name === undefined || version === undefined || !isInstalled) return [];
    const [, source, sourceVersion] = /^(\S+)(?:\s+\(([^)]*)\))?/.exec(fields.get('source') ?? '') ?? [];
    const architecture = fields.get('architecture');
    return [{ system: 'deb', name, version, architecture, source, sourceVersion }];
  });
}

/** Paragraphs of lines with a letter: `P:musl`, `V:1.2.4-r1`, `A:x86_64`, `L:MIT`, `o:musl`. */
export function apkPackages(text: string): readonly InstalledPackage[] {
  return text.split(/\n\n+/).flatMap((paragraph) => {
    const fields = new Map(
      Array.from(paragraph.matchAll(/^([A-Za-z]):(.*)$/gm), ([, name = '', value = '']) => [name, value]),
    );
    const name = fields.get('P');
    const version = fields.get('V');
    if (name === undefined || version === undefined) return [];
    const origin = fields.get('o');
    const source = origin === name ? undefined : origin;
    return [
      { system: 'apk', name, version, architecture: fields.get('A'), license: fields.get('L'), source },
    ];
  });
}
