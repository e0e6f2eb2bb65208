import { describe, expect, it, jest } from '@jest/globals';
import { SealSchedule } from './seal-schedule.ts';

const IDLE_MS = 60_000;
const LARGE = 40_000;
const HOUR_MS = 3_600_000;

function schedule(): { readonly seals: SealSchedule; readonly seal: ReturnType<typeof jest.fn> } {
  const seal = jest.fn();
  return { seals: new SealSchedule(IDLE_MS, () => void seal()), seal };
}

describe('SealSchedule', () => {
  it('seals a large delta at once', () => {
    const { seals, seal } = schedule();

    seals.published(LARGE, 0);

    expect(seal).toHaveBeenCalledTimes(1);
  });

  it('pauses after a seal while writes continue', () => {
    const { seals, seal } = schedule();

    seals.sealed(HOUR_MS);
    seals.published(LARGE, 0);
    seals.stop();

    expect(seal).not.toHaveBeenCalled();
  });

  it('seals a huge delta without a pause', () => {
    const { seals, seal } = schedule();

    seals.sealed(HOUR_MS);
    seals.published(LARGE * 100, 0);

    expect(seal).toHaveBeenCalledTimes(1);
  });

  it('does not seal a small delta over a large base', () => {
    const { seals, seal } = schedule();

    seals.published(LARGE, LARGE * 3);
    seals.stop();

    expect(seal).not.toHaveBeenCalled();
  });
});
