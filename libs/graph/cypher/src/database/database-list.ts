/** The databases beside the default one, by their names: what SHOW DATABASES tells of. */
export class DatabaseList {
  readonly names = new Set<string>();
}
