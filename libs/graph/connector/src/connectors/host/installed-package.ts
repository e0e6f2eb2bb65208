export interface InstalledPackage {
  /** The type of its package URL. */
  readonly system: 'deb' | 'rpm' | 'apk';
  readonly name: string;
  readonly version: string;
  readonly architecture: string | undefined;
  readonly license?: string | undefined;
  /** Of which it was built, if that has another name. */
  readonly source?: string | undefined;
  readonly sourceVersion?: string | undefined;
}
