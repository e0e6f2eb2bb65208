import { dataOf } from '../../../kit/session/api-error.ts';
import { faultOf, Loaded } from '../../../kit/session/loaded.svelte.ts';
import {
  checkConnectorFile,
  deleteConnectorFile,
  getConnectorFile,
  putConnectorFile,
} from '../../api/generated/sdk.gen.ts';
import type { ConnectorCheckDto, ConnectorTypeDto } from '../../api/generated/types.gen.ts';

const PAUSE_MS = 300;

/** A connector file that is edited: checked while it is typed, written by the tag that was read. */
export class ConnectorDraft {
  #name = $state('');
  #text = $state('');
  /** Of the text that was read; undefined for a new file. */
  #etag = $state<string | undefined>();
  #saved = $state('');
  #isSaving = $state(false);
  #fault = $state.raw<ReturnType<typeof faultOf> | undefined>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #checked = new Loaded(async () => {
    const body = { name: this.#name, text: this.#text };
    return { body, ...(await dataOf(checkConnectorFile({ body }))) };
  });

  get name(): string {
    return this.#name;
  }

  get text(): string {
    return this.#text;
  }

  get isNew(): boolean {
    return this.#etag === undefined;
  }

  get isChanged(): boolean {
    return this.#text !== this.#saved;
  }

  get isSaving(): boolean {
    return this.#isSaving;
  }

  /** Why it could not be read, checked or written. */
  get fault(): ReturnType<typeof faultOf> | undefined {
    return this.#fault ?? this.#checked.fault;
  }

  /** The last check, which may be that of an earlier text. */
  get check(): ConnectorCheckDto | undefined {
    return this.#checked.data;
  }

  /** Whether the check is that of the text as it is now. */
  get isChecked(): boolean {
    const body = this.#checked.data?.body;
    return body?.name === this.#name && body.text === this.#text && this.#checked.fault === undefined;
  }

  async open(name: string): Promise<void> {
    await this.#try(async () => {
      const { text, etag } = await dataOf(getConnectorFile({ path: { name } }));
      [this.#name, this.#text, this.#saved, this.#etag] = [name, text, text, etag];
    });
    void this.#checked.load();
  }

  begin(name: string, text: string): void {
    [this.#name, this.#text, this.#saved, this.#etag] = [name, text, '', undefined];
    void this.#checked.load();
  }

  rename(name: string): void {
    this.#name = name;
    this.#checkSoon();
  }

  change(text: string): void {
    this.#text = text;
    this.#checkSoon();
  }

  /** Whether it was written. A fault of the text, or of another's change meanwhile, is shown. */
  save(): Promise<boolean> {
    return this.#try(async () => {
      const [name, text] = [this.#name, this.#text];
      const headers = this.#etag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': this.#etag };
      await dataOf(putConnectorFile({ path: { name }, body: { text }, headers }));
      const { etag } = await dataOf(getConnectorFile({ path: { name } }));
      [this.#saved, this.#etag] = [text, etag];
    });
  }

  async remove(): Promise<void> {
    const { response, error } = await deleteConnectorFile({
      path: { name: this.#name },
      headers: { 'If-Match': this.#etag ?? '' },
    });
    if (response?.status !== 204) await dataOf(Promise.resolve({ error, response }));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #checkSoon(): void {
    this.#fault = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#checked.load(), PAUSE_MS);
  }

  async #try(work: () => Promise<void>): Promise<boolean> {
    this.#isSaving = true;
    this.#fault = undefined;
    try {
      await work();
      return true;
    } catch (error) {
      this.#fault = faultOf(error);
      return false;
    } finally {
      this.#isSaving = false;
    }
  }
}

/** The text of a new file: every required key, with what it means. */
export function firstText({ name, config }: ConnectorTypeDto): string {
  const required = config.filter(({ key, is_required: isRequired }) => isRequired && !/[.[]/.test(key));
  if (required.length === 0) return `connector: ${name}\n`;
  const lines = required.map(({ key, about }) => `  ${key}: # ${about}`);
  return `connector: ${name}\nconfig:\n${lines.join('\n')}\n`;
}
