import type { JsonObject } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import {
  parseInput,
  toParameters,
  toReturns,
  withoutKeys,
} from '../../../tools/definition/schema.ts';
import { resultCharsDefault, toolTimeoutDefaultMs } from '../../../tools/limits.ts';
import type { CallContext, PreCall, Tool, ToolResult } from '../../../tools/ports/tool.ts';
import type { ToolContext } from '../../define/context.ts';
import { deferralOf, type ToolDefinition } from '../../define/tool.ts';
import { createToolContext } from '../context/turn-context.ts';
import { withUserProps } from '../context/user-props.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { toReturned, toSentence, toViolations } from '../validate/zod-schema.ts';
import { approvalQuestion, cannotAsk, needsPreCheck, remoteWork } from './approval.ts';
import { failure, invalidInput } from './tool-failure.ts';
import { remoteRun } from './tool-runners.ts';
import { drain } from './tool-stream.ts';

export type ToolHome = {
  readonly loaded: LoadedBundle;
  readonly agent: string;
  /** Serves `ctx.call` of a running tool. */
  callFrom(call: CallContext): ToolContext['call'];
};

/** Compiles a tool of a bundle. */
export function compileTool(definition: ToolDefinition, home: ToolHome): Tool {
  const { options, id, description } = definition;
  const presets = Object.keys(options.preset ?? {});
  const visible = withoutKeys(definition.input, presets);
  const parameters = toParameters(definition.input, { without: presets });
  return {
    spec: {
      id,
      description,
      kind: 'bundle',
      parameters,
      ...(definition.output ? { returns: toReturns(definition.output) } : {}),
      traits: options.traits ?? [],
      effects: options.effects ?? 'unkeyed',
      concurrency: options.concurrency ?? 'alone',
      timeoutMs: options.timeoutMs ?? toolTimeoutDefaultMs,
      resultLimit: options.resultLimit ?? resultCharsDefault,
      ...optionalSpec(options),
    },
    parse: (input) => {
      const own = Object.entries(input).filter(([key]) => !presets.includes(key));
      const parsed = parseInput(visible, Object.fromEntries(own), parameters);
      const overridden = presets.filter((key) => Object.hasOwn(input, key));
      return parsed.ok && overridden.length > 0 ? { ...parsed, overridden } : parsed;
    },
    ...(needsPreCheck(definition)
      ? { consider: (input, call) => considerTool(definition, home, { input, call }) }
      : {}),
    run: async (input, call) => ({ result: await runTool(definition, home, { input, call }) }),
  };
}

function optionalSpec(options: ToolDefinition['options']): Partial<Tool['spec']> {
  return {
    ...(options.callsPerTurn === undefined ? {} : { callsPerTurn: options.callsPerTurn }),
    ...(options.resultAs === undefined ? {} : { resultAs: options.resultAs }),
    ...(options.hint === undefined ? {} : { hint: options.hint }),
    ...(options.defers ? { defers: true } : {}),
    ...(options.onFailure === undefined ? {} : { onFailure: options.onFailure }),
  };
}

type ToolRun = { readonly input: JsonObject; readonly call: CallContext };

/** Invalid input passes here, because `runTool` refuses it. */
async function considerTool(
  definition: ToolDefinition,
  home: ToolHome,
  { input, call }: ToolRun,
): Promise<PreCall> {
  const { mask } = home.loaded;
  const bare = contextOf(definition, home, call);
  try {
    const ctx = await withUserProps(bare, home.loaded);
    const given = await parseToolInput(definition, input, ctx);
    if (!given.success) return { ok: true };
    const isSettled = call.approved === call.key;
    const ask = isSettled
      ? undefined
      : await approvalQuestion(definition, given.data, { ctx, mask });
    const work = remoteWork(definition, given.data, mask);
    return { ok: true, ...(ask ? { ask } : {}), ...work };
  } catch (error) {
    return failure(error, { ctx: bare, home, signal: call.signal });
  }
}

function contextOf({ id: tool }: ToolDefinition, home: ToolHome, call: CallContext): ToolContext {
  const { loaded, agent } = home;
  return createToolContext({ loaded, call, agent, tool, callTool: home.callFrom(call) });
}

function parseToolInput(definition: ToolDefinition, input: JsonObject, ctx: ToolContext) {
  return definition.input.safeParseAsync({ ...input, ...presetsOf(definition, ctx) });
}

async function runTool(
  definition: ToolDefinition,
  home: ToolHome,
  { input, call }: ToolRun,
): Promise<ToolResult> {
  const { loaded } = home;
  const bare = contextOf(definition, home, call);
  try {
    const ctx = await withUserProps(bare, loaded);
    const given = await parseToolInput(definition, input, ctx);
    if (!given.success) return invalidInput(given.error);
    if (call.approved !== call.key) {
      await assertNoApproval(definition, given.data, { ctx, mask: loaded.mask });
    }
    const run = remoteRun(definition, { call, loaded }) ?? definition.run;
    const { cumulative = false } = definition.options;
    const { mask } = loaded;
    const returned = await drain(run(given.data, ctx), { call, mask, cumulative });
    if (isRefusal(returned)) throw returned;
    const work = deferralOf(returned);
    if (work) return { ok: true, ret: { deferred: taskOf(definition, work, ctx.key) } };
    return { ok: true, ret: loaded.mask.json(await checkedResult(definition, returned)) };
  } catch (error) {
    return failure(error, { ctx: bare, home, signal: call.signal });
  }
}

const taskId = /^[\w-]{1,64}$/;

function taskOf(
  { id, options }: ToolDefinition,
  { task = '', title }: { readonly task?: string; readonly title: string },
  key: string,
): JsonObject {
  if (!options.defers)
    throw new Error(`${id} deferred its work, but its definition lacks \`defers: true\``);
  const name = task === '' ? key : task;
  if (taskId.test(name)) return { task: name, title: title.slice(0, 200).toWellFormed() };
  throw new Error(`${id}: a task has 1 to 64 letters, digits, _ and -, not “${name}”`);
}

function presetsOf({ options }: ToolDefinition, ctx: ToolContext): Record<string, unknown> {
  const entries = Object.entries(options.preset ?? {}).map(([key, value]) => [
    key,
    typeof value === 'function' ? value(ctx) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Refusal `denied` if a person would have to be asked in the middle of another call. */
async function assertNoApproval(
  definition: ToolDefinition,
  input: object,
  parts: Parameters<typeof approvalQuestion>[2],
): Promise<void> {
  if (await approvalQuestion(definition, input, parts)) throw cannotAsk(definition.id);
}

async function checkedResult({ id, output }: ToolDefinition, returned: unknown) {
  if (!output) return toReturned(returned);
  const parsed = await output.safeParseAsync(returned);
  if (parsed.success) return toReturned(parsed.data);
  const because = toSentence(toViolations(parsed.error));
  throw new Error(`The value that ${id} returned does not fit its output: ${because}`);
}
