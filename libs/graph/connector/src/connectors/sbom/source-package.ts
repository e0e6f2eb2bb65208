/** The package from which a package of a Linux distribution is built: advisories name that one. */

export interface SourcePackage {
  readonly source_name: string | undefined;
  /** With its epoch and release: `1:2.3-4`. */
  readonly source_version: string | undefined;
}

/** `1:2.3-4` of an RPM or Debian package, whose parts are apart. */
export function versionOfParts([epoch, version, release]: readonly unknown[]): string | undefined {
  if (typeof version !== 'string' || version === '') return undefined;
  const before = Number(epoch) > 0 ? `${Number(epoch)}:` : '';
  return before + version + (typeof release === 'string' && release !== '' ? `-${release}` : '');
}

const PROPERTY = /(?:^|:)Src(Name|Version|Release|Epoch)$/;

/** Of the properties of a component, as Trivy and cdxgen state it in CycloneDX. */
export function sourceInProperties(
  properties: Iterable<readonly [name: string | undefined, value: string | undefined]>,
): SourcePackage {
  const found = new Map<string | undefined, string | undefined>();
  for (const [name, value] of properties) {
    const [, part] = PROPERTY.exec(name ?? '') ?? [];
    if (part !== undefined) found.set(part, value);
  }
  return {
    source_name: found.get('Name'),
    source_version: versionOfParts([found.get('Epoch'), found.get('Version'), found.get('Release')]),
  };
}

/** `built package from: openssl 1:3.0-2`, as Trivy states it in SPDX. */
export function sourceInSentence(sentence: string | undefined): SourcePackage {
  const [, name, version] = /^built package from: (\S+)(?: (\S+))?$/.exec(sentence ?? '') ?? [];
  return { source_name: name, source_version: version };
}
