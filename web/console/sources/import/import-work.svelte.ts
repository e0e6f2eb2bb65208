import { ApiError, dataOf } from '../../../kit/session/api-error.ts';
import { faultOf } from '../../../kit/session/loaded.svelte.ts';
import { importFile } from '../../api/generated/sdk.gen.ts';
import type { ImportReplyDto } from '../../api/generated/types.gen.ts';
import { draftOf, type Mapping, type MappingDraft, mappingOf } from './mapping-draft.ts';

/** A file on its way into the graph: read, looked at, mapped, written. */
export class ImportWork {
  source = $state('');
  draft = $state<MappingDraft | undefined>();
  force = $state(false);
  #content: string | undefined;
  #fileName: string | undefined;
  /** The source whose next file is being chosen. */
  #next = '';
  /** What was sent for the last preview. */
  #seen = $state('');
  #reply = $state.raw<ImportReplyDto | undefined>();
  #fault = $state.raw<ApiError | undefined>();
  #doing = $state<string | undefined>();

  get reply(): ImportReplyDto | undefined {
    return this.#reply;
  }

  get fault(): ApiError | undefined {
    return this.#fault;
  }

  /** What is being done; undefined: nothing. */
  get doing(): string | undefined {
    return this.#doing;
  }

  get isBusy(): boolean {
    return this.#doing !== undefined;
  }

  /** Whether the preview is that of the form, and something can be written. */
  get isReady(): boolean {
    const { run, dry_run: isPreview } = this.#reply ?? {};
    const canBeWritten = run?.status === 'complete' || run?.status === 'partial';
    return isPreview === true && canBeWritten && !this.isBusy && this.#seen === this.#form();
  }

  async takeFile(file: File): Promise<void> {
    this.#doing = `Reading ${file.name}`;
    try {
      const bytes = await file.arrayBuffer();
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      await this.take(text, file.name);
    } catch (error) {
      this.clear();
      const isText = !(error instanceof TypeError);
      const message = `${file.name}: expected text in UTF-8; export a spreadsheet as CSV`;
      this.#fault = isText ? faultOf(error) : new ApiError('INVALID_REQUEST', message);
    } finally {
      this.#doing = undefined;
    }
  }

  /** The file that is taken next is of this source; without a name, of the one that its own name says. */
  expect(source: string): void {
    this.#next = source;
  }

  /** Looks at a new file. What was looked at before does not matter to it. */
  async take(content: string, fileName: string | undefined): Promise<void> {
    const source = this.#next;
    this.clear();
    this.source = source;
    this.#content = content;
    this.#fileName = fileName;
    await this.preview();
  }

  clear(): void {
    this.#content = undefined;
    this.#reply = undefined;
    this.#fault = undefined;
    this.draft = undefined;
    this.source = '';
    this.#next = '';
    this.force = false;
  }

  preview(): Promise<void> {
    return this.#send(true);
  }

  write(): Promise<void> {
    return this.#send(false);
  }

  async #send(dryRun: boolean): Promise<void> {
    if (this.#content === undefined) return;
    this.#doing = dryRun ? 'Looking at what it changes' : 'Writing';
    this.#fault = undefined;
    try {
      const body = {
        content: this.#content,
        ...(this.#fileName !== undefined && { file_name: this.#fileName }),
        ...(this.source !== '' && { source: this.source }),
        ...(this.draft !== undefined && { config: this.#config() }),
        dry_run: dryRun,
        force: this.force,
      };
      const reply = await dataOf(importFile({ body }));
      this.#reply = reply;
      this.source = reply.source;
      const mapping = reply.config['mapping'] as Mapping | undefined;
      this.draft ??= mapping && draftOf(mapping, reply.columns);
      this.#seen = this.#form();
    } catch (error) {
      this.#fault = faultOf(error);
    } finally {
      this.#doing = undefined;
    }
  }

  #config(): Record<string, unknown> {
    const { config = {} } = this.#reply ?? {};
    const mapping = config['mapping'] as Mapping | undefined;
    if (mapping === undefined || this.draft === undefined) return config;
    return { ...config, mapping: mappingOf(this.draft, mapping) };
  }

  #form(): string {
    return JSON.stringify([this.source, this.force, this.draft]);
  }
}
