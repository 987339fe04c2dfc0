import { pathToFileURL } from 'node:url';
import { Fault, isFault } from '../../../runtime/base/fault.ts';
import { createToolbox } from '../../../runtime/sdk/compile/agents/toolbox.ts';
import { compileOperationsAndVerifiers } from '../../../runtime/sdk/compile/endpoints/verifiers.ts';
import type { BundleHost, LoadedBundle } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type { RunBundleScript } from '../../../runtime/sdk/compile/host/scripts.ts';
import { loadBundle } from '../../../runtime/sdk/compile/lifecycle/bundle-lifecycle.ts';
import { inProcess, type Supervisor } from '../../../runtime/sdk/compile/lifecycle/supervisor.ts';
import { compileJobs } from '../../../runtime/sdk/compile/operations/compile-jobs.ts';
import { createProblems } from '../../../runtime/sdk/compile/validate/problems.ts';
import type { BundleJob, BundleOperation } from '../../../runtime/sdk/contract/runtime-bundle.ts';
import type { HookRunner } from '../../../runtime/sdk/contract/runtime-hooks.ts';
import { bundleOf } from '../../../runtime/sdk/define/definition.ts';
import type { BundleOpening } from '../rpc/rpc-protocol.ts';
import { type BundleTools, compileBundleTools } from './bundle-tools.ts';

/** A loaded bundle in the process that runs it. */
export type OpenBundle = {
  readonly loaded: LoadedBundle;
  readonly tools: BundleTools;
  readonly hooks: HookRunner;
  readonly operations: readonly BundleOperation[];
  readonly jobs: readonly BundleJob[];
  readonly supervisor: Supervisor;
};

/** Loads the bundle that the worker has built. Fault `BUNDLE_INVALID` describes what is wrong with it. */
export async function openBundle(
  { module, dir, revision, props }: BundleOpening,
  lent: { readonly host: BundleHost; readonly runScript: RunBundleScript },
): Promise<OpenBundle> {
  const definition = bundleOf(await importBundle(module));
  const problems = createProblems();
  const loaded = loadBundle(definition, { dir, revision, props, ...lent }, problems);
  const operations = compileOperationsAndVerifiers(loaded, problems);
  const jobs = compileJobs(loaded, problems);
  problems.settle(definition.id);
  const supervisor = inProcess(loaded);
  const toolbox = createToolbox(loaded, supervisor);
  const tools = compileBundleTools(definition, toolbox);
  return { loaded, tools, hooks: toolbox.hookRunner, operations, jobs, supervisor };
}

async function importBundle(module: string): Promise<unknown> {
  process.setSourceMapsEnabled(true);
  try {
    const loaded: unknown = await import(pathToFileURL(module).href);
    return typeof loaded === 'object' && loaded !== null && 'bundle' in loaded && loaded.bundle;
  } catch (cause) {
    if (isFault(cause)) throw cause;
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new Fault('BUNDLE_INVALID', { because }, { cause });
  }
}
