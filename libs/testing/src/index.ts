export { TestApp, type TestAppOptions } from './app/test-app.ts';
export {
  browserMissing,
  openBrowser,
  pixelsBeyondScreen,
  seriousFaults,
  takePicture,
} from './test-browser.ts';
export { CrashDisk } from './disk/crash-disk.ts';
export { textsIn } from './disk/texts-in.ts';
export { diskConformance } from './disk/disk-conformance.ts';
export { describeUnless, skipped } from './describe-unless.ts';
export { effort } from './effort.ts';
export { BURST, burstMissing, freePort, waitingOf } from './ports.ts';
export { goldenTests } from './golden.ts';
export { standStill } from './stand-still.ts';
export { Story } from './story.ts';
export { answersToUnknownFields } from './app/unknown-fields.ts';
export { type CollectedPoint, type CollectedSpan, OtlpCollector } from './otlp-collector.ts';
export { missingOfDashboard } from './dashboard.ts';
export {
  type AccessRow,
  accessTable,
  keyLine,
  keysOfRoles,
  pageWith,
  routesOf,
  secretOf,
  type StatedRoute,
} from './app/access-table.ts';
