import { buildReport, type Comparison, compareReports, type Report } from '#load/report';
import { NodeDisk } from '#platform/disk';
import type { RunService } from '../run/run-service.ts';

/** Reports of runs that have ended. The same report is made once, however many ask for it at a time. */
export class ReportService {
  readonly #runs: RunService;
  readonly #making = new Map<string, Promise<Report>>();

  constructor(runs: RunService) {
    this.#runs = runs;
  }

  /** Rejects as `buildReport` does. */
  of(runId: string): Promise<Report> {
    const making = this.#making.get(runId) ?? this.#make(runId);
    this.#making.set(runId, making);
    return making.finally(() => this.#making.delete(runId));
  }

  async compare(baseId: string, headId: string): Promise<Comparison> {
    const [base, head] = await Promise.all([this.of(baseId), this.of(headId)]);
    return compareReports(base, head);
  }

  /** Files that there was no room for when the run ended are completed first. */
  async #make(runId: string): Promise<Report> {
    await this.#runs.completeFiles(runId);
    return buildReport(new NodeDisk(), this.#runs.directoryOf(runId));
  }
}
