import { describe, expect, it } from '@jest/globals';
import { pbkdf2, pbkdf2Sync, randomBytes } from 'node:crypto';
import { OpenWork, WorkObserver } from './open-work.ts';

describe('the open work of a step', () => {
  it('has computations that call back, until they do, and none that are made at once', async () => {
    const open = new OpenWork();
    const observer = new WorkObserver(() => open);
    observer.start();
    try {
      randomBytes(18);
      pbkdf2Sync('word', 'salt', 1, 8, 'sha256');
      expect(open.unanswered).not.toContain('an operation');

      const { promise, resolve } = Promise.withResolvers<unknown>();
      pbkdf2('word', 'salt', 1, 8, 'sha256', (_error, key) => resolve(key));
      expect(open.unanswered).toContain('an operation');
      await promise;
      await new Promise((next) => void setImmediate(next));
      expect(open.unanswered).not.toContain('an operation');
    } finally {
      observer.stop();
    }
  });
});
