export { TestApp, type TestAppOptions } from './app/test-app.ts';
export { openBrowser } from './browser/test-browser.ts';
export { CrashDisk, type CrashPlan } from './disk/crash-disk.ts';
export { diskConformance } from './disk/disk-conformance.ts';
export { seededRandom } from './disk/seeded-random.ts';
export { freePort } from './free-port.ts';
export { goldenTests } from './golden.ts';
export { Story } from './story.ts';
export { answersToUnknownFields } from './app/unknown-fields.ts';
