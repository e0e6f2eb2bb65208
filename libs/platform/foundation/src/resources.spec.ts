import { describe, expect, it } from '@jest/globals';
import { Resources } from './resources.ts';

describe('Resources', () => {
  it('closes a resource that was still opening when another failed to open', async () => {
    const resources = new Resources();
    const slow = Promise.withResolvers<string>();
    const events: string[] = [];
    const start = resources.closingOnFailure(() =>
      Promise.all([
        resources.open(
          () => slow.promise,
          (name) => events.push(`closed ${name}`),
        ),
        Promise.reject(new Error('no such directory')),
      ]),
    );
    const failed = start.catch((error: unknown) => events.push(String(error)));

    await new Promise((resolve) => setImmediate(resolve));
    slow.resolve('store');
    await failed;

    expect(events).toEqual(['closed store', 'Error: no such directory']);
  });

  it('opens nothing more once it closes', async () => {
    const resources = new Resources();
    const opened: string[] = [];

    await resources.close();
    const late = resources.open(
      () => opened.push('late'),
      () => undefined,
    );

    await expect(late).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(opened).toEqual([]);
  });
});
