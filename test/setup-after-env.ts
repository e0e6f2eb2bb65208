import { jest } from '@jest/globals';

// A test waits for events, not for time: the bound only ends what hangs, on a machine with other work too.
jest.setTimeout(300_000);
