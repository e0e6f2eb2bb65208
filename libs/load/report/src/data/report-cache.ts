import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import type { Report } from './report.ts';
import type { ReportedRun } from './run-record.ts';

const FILE_NAME = 'report.json';
/** Incremented when the content of reports changes. */
const VERSION = 7;

export interface ReportSource {
  /** Fingerprint of the parts. */
  readonly parts: string;
  readonly run: ReportedRun;
}

interface KeptReport {
  readonly key: string;
  readonly report: Report;
}

/** The cached report next to the files of a run; valid while its inputs are unchanged. */
export class ReportCache {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #key: string;

  constructor(disk: Disk, directory: string, { parts, run }: ReportSource) {
    this.#disk = disk;
    this.#directory = directory;
    this.#key = createHash('sha256')
      .update(`${VERSION}\0${parts}\0${JSON.stringify(run)}`)
      .digest('hex');
  }

  /** Null if there is none, or if its inputs have changed. */
  async read(): Promise<Report | null> {
    const kept = (await this.#disk.readJsonIfSound(this.#path)) as Partial<KeptReport> | null | undefined;
    return kept?.key === this.#key ? (kept.report ?? null) : null;
  }

  /** Atomic: written to a temporary file, then renamed. */
  async keep(report: Report): Promise<Report> {
    const kept: KeptReport = { key: this.#key, report };
    const open = `${this.#path}.${process.pid}.open`;
    await this.#disk.remove(open);
    try {
      await this.#disk.writeNew(open, new TextEncoder().encode(JSON.stringify(kept)));
      await this.#disk.rename(open, this.#path);
    } finally {
      await this.#disk.remove(open);
    }
    return report;
  }

  get #path(): string {
    return join(this.#directory, FILE_NAME);
  }
}
