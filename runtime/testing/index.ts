export { type ManualClock, manualClock } from './clock.ts';
export { openRuntime } from './open-runtime.ts';
export { outline } from './outline.ts';
export type { Reply, ScriptedModel, TestOptions, TestRuntime } from './types.ts';
