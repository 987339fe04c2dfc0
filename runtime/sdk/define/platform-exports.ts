/** Types and classes of the runtime that bundles may use. */
export { Fault } from '../../base/fault.ts';
export type { Json } from '../../base/json.ts';
export { Refusal } from '../../base/refusal.ts';
export type { SourceRow as Source } from '../../timeline/view.ts';
export type { FileRef } from '../../tools/ports/call-services.ts';
export type { Trait } from '../../tools/ports/tool.ts';
export type { Block } from './block.ts';
