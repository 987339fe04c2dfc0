import { Refusal } from '../../base/refusal.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import { toBlockPath } from '../../timeline/paths.ts';
import type { ResolvedPath } from '../../tools/ports/call-services.ts';
import { decode } from '../../tools/refs/resolved-text.ts';
import type { Resolvers } from '../../tools/services/path-reader.ts';

/** Resolves the paths that are not on a log: the agent's skills and its knowledge. */
export function resolversOf(agent: AgentSettings): Resolvers {
  return {
    skill: (name) => readSkill(agent, name),
    knowledge: (name, options) => readKnowledge(agent, name, options),
  };
}

/** `sk:<bundle>.<name>` is the skill, `sk:<bundle>.<name>/references/x.md` a file beside it. Undefined: not found. */
async function readSkill(agent: AgentSettings, name: string): Promise<ResolvedPath | undefined> {
  const [id = '', ...rest] = name.split('/');
  const skill = agent.skills.find((each) => each.id === `sk:${id}` || each.id === id);
  if (!skill) return undefined;
  const path = toBlockPath(`sk:${name}`);
  if (rest.length === 0) {
    const text = `${skill.text}\n\n(Files this skill names are read as ${path}/<file>.)`;
    return { path, mime: 'text/markdown', text, sources: skill.sources };
  }
  const file = await skill.file(rest.join('/'));
  return file && { path, mime: file.mime, text: new TextDecoder().decode(file.bytes) };
}

/** Undefined: no such page, or no knowledge. Refusal `knowledge_unreadable`: the page is not text. */
async function readKnowledge(
  { knowledge }: AgentSettings,
  name: string,
  options: { signal: AbortSignal },
): Promise<ResolvedPath | undefined> {
  const page = await knowledge?.read(name, options);
  if (!page) return undefined;
  const { mime, body } = page;
  const path = toBlockPath(`ks:${name}`);
  const text = typeof body === 'string' ? body : decode(body);
  if (text === undefined) {
    throw new Refusal(
      'knowledge_unreadable',
      `${path} is ${mime}, not text; nothing here shows it.`,
    );
  }
  return { path, mime, text };
}
