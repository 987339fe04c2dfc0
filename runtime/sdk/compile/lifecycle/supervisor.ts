import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import type { Tool } from '../../../tools/ports/tool.ts';
import type { BundleJob, BundleOperation } from '../../contract/runtime-bundle.ts';
import type { HookRunner } from '../../contract/runtime-hooks.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { callOnLoad, callOnPropsChanged, unloadBundle } from './bundle-lifecycle.ts';

/** Who runs the code of one loaded bundle: its tools, `onLoad`, `dispose` and what they open. */
export interface Supervisor {
  /** What the runtime calls in place of a tool that was compiled from its declaration. */
  tool(compiled: Tool, agent: string): Tool;
  /** What the runtime asks in place of an operation that was compiled from its declaration. */
  operation(compiled: BundleOperation): BundleOperation;
  /** Who is asked in place of hooks that were compiled from their declarations. */
  hooks(compiled: HookRunner): HookRunner;
  /** What is asked in place of functions that were compiled from a declaration. Undefined: they cannot be asked here. */
  knowledge(compiled: KnowledgeSpace): KnowledgeSpace | undefined;
  /** What the runtime runs in place of a job that was compiled from its declaration. */
  job(compiled: BundleJob): BundleJob;
  /** Before any traffic: `onLoad`. Fault `BUNDLE_INVALID` where it throws. */
  open(signal: AbortSignal): Promise<void>;
  /** Other props are in force: `onPropsChanged`. Rejects with what it throws. */
  propsChanged(signal: AbortSignal): Promise<void>;
  /** A turn of the bundle is under way: its tools will be called. */
  warm(): void;
  /** After the last run: `dispose` of the bundle, then its resources, newest first. */
  close(): Promise<void>;
}

export type Supervise = (loaded: LoadedBundle) => Supervisor;

/** In this very process, which an endless loop or a crash of the bundle therefore takes along. */
export const inProcess: Supervise = (loaded) => ({
  tool: (compiled) => compiled,
  operation: (compiled) => compiled,
  hooks: (compiled) => compiled,
  knowledge: (compiled) => compiled,
  job: (compiled) => compiled,
  open: (signal) => callOnLoad(loaded, signal),
  propsChanged: (signal) => callOnPropsChanged(loaded, signal),
  warm: () => undefined,
  close: () => unloadBundle(loaded),
});

/** By nobody: of a process that only reads what bundles declare. */
export const withoutCode: Supervise = () => ({
  tool: (compiled) => compiled,
  operation: (compiled) => compiled,
  hooks: (compiled) => compiled,
  knowledge: (compiled) => compiled,
  job: (compiled) => compiled,
  open: async () => undefined,
  propsChanged: async () => undefined,
  warm: () => undefined,
  close: async () => undefined,
});
