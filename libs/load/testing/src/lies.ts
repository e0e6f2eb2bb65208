import type { MakeLie } from './lie.ts';
import { ANSWER_LIES } from './lies-of-answers.ts';
import { BLOCK_LIES } from './lies-of-blocks.ts';
import { FEED_LIES } from './lies-of-feeds.ts';

/** All lies by name; together they falsify every kind of answer that a sequencer returns. */
export const LIES: Readonly<Record<string, MakeLie>> = { ...BLOCK_LIES, ...ANSWER_LIES, ...FEED_LIES };
