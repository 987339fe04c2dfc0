import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpCaller } from './messages/caller.ts';
import { completionPagesMax, completionValuesMax } from './messages/limits.ts';
import { encodePath } from './messages/uris.ts';
import { skillNamed } from './prompts/prompts.ts';
import { listResources, resourceTemplates } from './resources/resources.ts';

type Question = {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
};

export type Completion = { values: string[]; total?: number; hasMore: boolean };

/** Values for an argument of a prompt or a variable of a resource template. ProtocolError: there is none of this name. */
export async function complete(
  caller: McpCaller,
  { ref, argument: { name, value } }: Question,
): Promise<Completion> {
  if (ref.type === 'ref/prompt') return completeArgument(caller, { prompt: ref.name, name, value });
  const known = resourceTemplates(caller).map(({ uriTemplate }) => uriTemplate);
  if (!known.includes(ref.uri)) {
    throw invalid(`unknown resource template: ${ref.uri}; known are ${known.join(', ')}`);
  }
  if (name !== 'path') throw invalid(`unknown variable: ${name}; the template has path`);
  if (ref.uri.startsWith('sk:')) return completeSkill(caller, value);
  return ref.uri.startsWith('ks:') ? completePage(caller, value) : completeFile(caller, value);
}

type Argument = { readonly prompt: string; readonly name: string; readonly value: string };

function completeArgument({ endpoint }: McpCaller, { prompt, name, value }: Argument): Completion {
  const slots = skillNamed(endpoint, prompt).prompt.arguments;
  const slot = slots.find((each) => each.name === name);
  if (!slot) throw invalid(`unknown argument: ${name}; the prompt “${prompt}” does not have it`);
  return toCompletion(fitting(slot.values ?? [], value));
}

function completeSkill({ endpoint }: McpCaller, value: string): Completion {
  const listed = endpoint.caller.skills.filter(({ hidden }) => !hidden);
  return toCompletion(
    fitting(
      listed.map(({ id }) => id),
      value,
    ),
  );
}

/** Pages are found by the search of the knowledge, so it is not known how many there are. */
async function completePage({ endpoint, signal }: McpCaller, value: string): Promise<Completion> {
  const { knowledge } = endpoint.caller;
  const limit = completionValuesMax + 1;
  const hits = value.trim() === '' ? [] : await knowledge?.search(value, { signal, limit });
  const paths = (hits ?? []).map(({ path }) => withoutFamily(encodePath(path)));
  const { total: _, ...found } = toCompletion([...new Set(paths)]);
  return found;
}

async function completeFile(caller: McpCaller, value: string): Promise<Completion> {
  const paths = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < completionPagesMax; pages += 1) {
    const page = await listResources(caller, cursor);
    for (const { uri } of page.resources) paths.add(withoutFamily(uri));
    cursor = page.nextCursor;
    if (cursor === undefined) return toCompletion(fitting([...paths], value));
  }
  const { total: _, ...found } = toCompletion(fitting([...paths], value));
  return { ...found, hasMore: true };
}

function withoutFamily(uri: string): string {
  return uri.slice(uri.indexOf(':') + 1);
}

/** Those that begin with what was typed come before those that contain it. */
function fitting(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const places = values.map((value) => ({ value, at: value.toLowerCase().indexOf(wanted) }));
  const begin = places.filter(({ at }) => at === 0);
  const contain = places.filter(({ at }) => at > 0);
  return [...begin, ...contain].map(({ value }) => value);
}

function toCompletion(values: readonly string[]): Required<Completion> {
  return {
    values: values.slice(0, completionValuesMax),
    total: values.length,
    hasMore: values.length > completionValuesMax,
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
