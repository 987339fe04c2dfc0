import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import type { Tool } from '../../../tools/ports/tool.ts';
import type { BundleJob, BundleOperation } from '../../contract/runtime-bundle.ts';
import type { HookRunner } from '../../contract/runtime-hooks.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { callOnLoad, callOnPropsChanged, unloadBundle } from './bundle-lifecycle.ts';

/** Runs the code of one loaded bundle: its tools, `onLoad`, `dispose` and the resources they open. */
export interface Supervisor {
  /** Returns the tool that the runtime calls in place of the compiled one. */
  tool(compiled: Tool, agent: string): Tool;
  /** Returns the operation that the runtime calls in place of the compiled one. */
  operation(compiled: BundleOperation): BundleOperation;
  /** Returns the hook runner that the runtime calls in place of the compiled one. */
  hooks(compiled: HookRunner): HookRunner;
  /** Returns the knowledge that the runtime searches in place of the compiled functions. Undefined if they cannot run here. */
  knowledge(compiled: KnowledgeSpace): KnowledgeSpace | undefined;
  /** Returns the job that the runtime runs in place of the compiled one. */
  job(compiled: BundleJob): BundleJob;
  /** Runs `onLoad` before any traffic. Fault `BUNDLE_INVALID` if it throws. */
  open(signal: AbortSignal): Promise<void>;
  /** Runs `onPropsChanged` after the props have changed. Rejects with the bundle's error. */
  propsChanged(signal: AbortSignal): Promise<void>;
  /** A turn of the bundle has started, so its tools will probably be called. */
  warm(): void;
  /** After the last run: runs the bundle's `dispose`, then closes its resources, newest first. */
  close(): Promise<void>;
}

export type Supervise = (loaded: LoadedBundle) => Supervisor;

/** Runs the code in this process. An endless loop or a crash of the bundle also affects the process. */
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

/** Runs no code, for a process that only reads what bundles declare. */
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
