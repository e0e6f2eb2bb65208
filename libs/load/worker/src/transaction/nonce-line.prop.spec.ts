import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NonceLine } from './nonce-line.ts';

/** The possible outcomes of a transaction at a sequencer, with its answers. */
const FATES = [
  'accept',
  'acceptAndDrop',
  'refuse',
  'refuseButInclude',
  'hangAndInclude',
  'hangAndDrop',
] as const;
type Fate = (typeof FATES)[number];

/** The chain's side of one account: consumes nonces in order, and rejects others by their number. */
class AccountModel {
  count = 0;
  readonly line = new NonceLine(0);
  /** The nonces that were last reported as not consumed. */
  readonly mayBeTaken = new Set<number>();
  readonly taken = new Set<number>();
  /** Inclusions not yet reported to the line. */
  readonly untold: number[] = [];
  /** Answers in flight. */
  readonly answers: (() => void)[] = [];

  send(fate: Fate): void {
    const { line } = this;
    if (line.isPaused) return;
    const nonce = line.issue();
    expect(!this.taken.has(nonce) || this.mayBeTaken.has(nonce)).toBe(true);
    this.taken.add(nonce);
    this.mayBeTaken.delete(nonce);
    if (nonce < this.count)
      this.answers.push(() => {
        line.contradicted(nonce, 'low');
      });
    else if (nonce > this.count) {
      this.#refuse(nonce, () => {
        line.contradicted(nonce, 'high');
      });
    } else this.#meet(nonce, fate);
  }

  /** The oldest answer arrives, or the newest. */
  answer(isNewestFirst: boolean): void {
    (isNewestFirst ? this.answers.pop() : this.answers.shift())?.();
  }

  /** The feed reports the oldest or the newest inclusion. */
  tell(isNewestFirst: boolean): void {
    const nonce = isNewestFirst ? this.untold.pop() : this.untold.shift();
    if (nonce !== undefined) this.line.included(nonce);
  }

  useElsewhere(): void {
    this.count++;
  }

  ask(isLate: boolean): void {
    if (!this.line.wantsCount) return;
    for (const nonce of this.taken) if (nonce >= this.count) this.mayBeTaken.add(nonce);
    this.line.counted(this.count, isLate);
  }

  #meet(nonce: number, fate: Fate): void {
    const { line } = this;
    if (fate === 'accept' || fate === 'refuseButInclude' || fate === 'hangAndInclude') {
      this.count++;
      this.untold.push(nonce);
    }
    if (fate === 'accept' || fate === 'acceptAndDrop')
      this.answers.push(() => {
        line.accepted(nonce);
      });
    if (fate === 'hangAndInclude' || fate === 'hangAndDrop')
      this.answers.push(() => {
        line.doubted(nonce);
      });
    if (fate === 'refuse' || fate === 'refuseButInclude')
      this.#refuse(nonce, () => {
        line.rejected(nonce);
      });
  }

  #refuse(nonce: number, tell: () => void): void {
    this.answers.push(() => {
      this.mayBeTaken.add(nonce);
      tell();
    });
  }
}

type Step = (model: AccountModel) => void;

const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...FATES).map<Step>((fate) => (model) => {
      model.send(fate);
    }),
  },
  {
    weight: 3,
    arbitrary: fc.boolean().map<Step>((isNewestFirst) => (model) => {
      model.tell(isNewestFirst);
    }),
  },
  {
    weight: 6,
    arbitrary: fc.boolean().map<Step>((isNewestFirst) => (model) => {
      model.answer(isNewestFirst);
    }),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map<Step>((isLate) => (model) => {
      model.ask(isLate);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((model) => {
      model.useElsewhere();
    }),
  },
);

describe('NonceLine', () => {
  it('reuses a nonce only if it was last reported as not consumed', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 200 }), (steps) => {
        const model = new AccountModel();
        for (const step of steps) step(model);
      }),
    );
  });

  it('returns to the state of the chain after any events', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 200 }), (steps) => {
        const model = new AccountModel();
        for (const step of steps) step(model);

        for (let attempt = 0; attempt < 200; attempt++) {
          model.ask(true);
          model.send('accept');
          model.answer(false);
          model.tell(false);
        }

        while (model.answers.length > 0) model.answer(false);
        model.ask(true);
        expect(model.line.isPaused).toBe(false);
        expect(model.line.unanswered).toBe(0);
        expect(model.line.next).toBe(model.count);
      }),
    );
  });
});
