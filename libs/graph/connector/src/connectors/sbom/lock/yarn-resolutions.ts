import { parseResolution } from '@yarnpkg/parsers';
import type { JsonObject } from '#graph/model';

export interface AskedDependency {
  /** Of the package or project that asks: `debug@npm:4.4.3`. */
  readonly locator: string;
  readonly name: string;
  readonly range: string;
}

type Pattern = ReturnType<typeof parseResolution>;

/** What a project's `resolutions` put in place of the ranges of dependencies, in Yarn 2 and later. */
export class Resolutions {
  readonly #patterns: readonly { readonly pattern: Pattern; readonly range: string }[];

  constructor(resolutions: JsonObject) {
    this.#patterns = Object.entries(resolutions).flatMap(([source, range]) => {
      const pattern = typeof range === 'string' ? parsed(source) : undefined;
      return pattern === undefined ? [] : [{ pattern, range: String(range) }];
    });
  }

  /** The range of the first pattern that fits; undefined if none does. */
  rangeFor({ locator, name, range }: AskedDependency): string | undefined {
    const fits = (part: Pattern['descriptor'], fullName: string, reference: string): boolean =>
      part.fullName === fullName &&
      (part.description === undefined || plain(part.description) === plain(reference));
    const at = locator.indexOf('@', 1);
    return this.#patterns.find(
      ({ pattern: { from, descriptor } }) =>
        fits(descriptor, name, range) &&
        (from === undefined || fits(from, locator.slice(0, at), locator.slice(at + 1))),
    )?.range;
  }
}

/** Globs, as of Yarn 1, are no patterns of later versions. */
function parsed(source: string): Pattern | undefined {
  try {
    return parseResolution(source);
  } catch {
    return undefined;
  }
}

/** Ranges and versions are those of the registry if they do not say so. */
function plain(reference: string): string {
  return reference.replace(/^npm:/, '');
}
