import { dataOf } from '../../kit/session/api-error.ts';
import { cypher } from './generated/sdk.gen.ts';

/** The functions that the service has in Cypher, read once. */
class FunctionNames {
  #read: Promise<readonly string[]> | undefined;

  load(): Promise<readonly string[]> {
    this.#read ??= this.#readNames();
    return this.#read;
  }

  async #readNames(): Promise<readonly string[]> {
    try {
      const reply = await dataOf(cypher({ body: { cypher: 'SHOW FUNCTIONS YIELD name RETURN name' } }));
      return typeof reply === 'string' ? [] : reply.rows.map(([name]) => String(name));
    } catch {
      // Completion works without them; a failure is not reported.
      this.#read = undefined;
      return [];
    }
  }
}

/** The instance of this page. */
export const functionNames = new FunctionNames();
