import {
  type ContentBlock,
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { SkillEntry } from '../../../../sdk/contract/agent-settings.ts';
import { filledChars, fillPlaceholders } from '../../../../sdk/contract/placeholders.ts';
import type { BundleEndpoint } from '../../../../sdk/contract/runtime-bundle.ts';
import type { McpCaller } from '../messages/caller.ts';
import { promptCharsMax } from '../messages/limits.ts';
import { filesNamedIn } from './prompt-files.ts';

/** Skills are texts that a person may give to a model. */
export function promptsOf({ caller }: BundleEndpoint): Prompt[] {
  return caller.skills
    .filter(({ hidden }) => !hidden)
    .map(({ name, description, prompt }) => ({
      name,
      description,
      ...(prompt.arguments.length === 0
        ? {}
        : { arguments: prompt.arguments.map(({ values: _, ...rest }) => rest) }),
    }));
}

/** ProtocolError: there is none of this name. */
export function skillNamed({ caller }: BundleEndpoint, name: string): SkillEntry {
  const skill = caller.skills.find((each) => each.name === name && !each.hidden);
  return skill ?? refuse(`unknown prompt: ${name}`);
}

type PromptRequest = {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
};

/**
 * One prompt with its arguments, and what its text names. ProtocolError: it does not exist, or an argument is missing or unknown.
 */
export async function promptOf(
  caller: McpCaller,
  { name, arguments: given = {} }: PromptRequest,
): Promise<GetPromptResult> {
  const skill = skillNamed(caller.endpoint, name);
  const text = textOf(skill, new Map(Object.entries(given)));
  const files = await filesNamedIn(text, caller, skill);
  const contents: readonly ContentBlock[] = [{ type: 'text', text }, ...files];
  return {
    description: skill.description,
    messages: contents.map((content) => ({ role: 'user', content })),
  };
}

function textOf({ prompt }: SkillEntry, given: ReadonlyMap<string, string>): string {
  const { text, arguments: slots } = prompt;
  const names = slots.map(({ name }) => name);
  const unknown = [...given.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'no arguments' : `the arguments ${names.join(', ')}`;
    refuse(`unknown argument: ${unknown}; this prompt has ${known}`);
  }
  const missing = slots.find(({ name, required }) => required && (given.get(name) ?? '') === '');
  if (missing) refuse(`missing argument: ${missing.name} is required`);
  if (slots.length === 0) return text;
  if (filledChars(text, given) > promptCharsMax) {
    refuse(`the prompt has more than ${promptCharsMax} characters; send shorter arguments`);
  }
  return fillPlaceholders(text, given);
}

function refuse(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
