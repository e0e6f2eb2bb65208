/**
 * The files of a page as `npm run build` writes them to dist/web/<page>: `index.html`, and `assets/` with
 * content hashes in the names, together with precompressed variants.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Disk, isMissingFile } from '#platform/disk';
import { installedPath } from '#platform/foundation';

export interface PageFile {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

const WEB = installedPath('dist', 'web');

const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Partial<Record<string, string>>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const ASSET_NAME = /^[\w-]+(?:\.[\w-]+)*\.(?<extension>[a-z]+)$/;
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export class PageFiles {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, page: string) {
    this.#disk = disk;
    this.#directory = join(WEB, page);
  }

  /** The page itself, revalidated by browsers on every request; undefined when it has not been built. */
  async shell(): Promise<PageFile | undefined> {
    const bytes = await this.#read('index.html');
    if (bytes === undefined) return undefined;
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    return {
      bytes,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-cache',
        ETag: `"${hash}"`,
      },
    };
  }

  /** An asset of the page, cached by browsers forever; undefined when none has this name. */
  async asset(name: string, acceptEncoding = ''): Promise<PageFile | undefined> {
    const type = TYPES[ASSET_NAME.exec(name)?.groups?.['extension'] ?? ''];
    if (type === undefined) return undefined;
    const headers = {
      'Content-Type': type,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    };
    for (const encoding of ENCODINGS.filter((each) => accepts(acceptEncoding, each.name))) {
      const bytes = await this.#read(`assets/${name}${encoding.suffix}`);
      if (bytes === undefined) continue;
      const ETag = `"${name}-${encoding.name}"`;
      return { bytes, headers: { ...headers, 'Content-Encoding': encoding.name, ETag } };
    }
    const bytes = await this.#read(`assets/${name}`);
    return bytes && { bytes, headers: { ...headers, ETag: `"${name}"` } };
  }

  async #read(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#disk.readBytes(join(this.#directory, path));
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }
}

/** Whether a list such as `gzip, br;q=0.5` has the encoding, with a weight that is not 0. */
function accepts(list: string, encoding: string): boolean {
  return list.split(',').some((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
