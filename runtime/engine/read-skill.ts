import type { AgentSettings } from '../sdk/agent-settings.ts';
import type { Resolved } from '../tools/services.ts';

/** `sk:<bundle>.<name>` is the skill, `sk:<bundle>.<name>/references/x.md` a file beside it. Undefined: nothing there. */
export async function readSkill(agent: AgentSettings, name: string): Promise<Resolved | undefined> {
  const [id = '', ...rest] = name.split('/');
  const skill = agent.skills.find((each) => each.id === `sk:${id}` || each.id === id);
  if (!skill) return undefined;
  const path = `sk:${name}`;
  if (rest.length === 0) {
    const text = `${skill.text}\n\n(Files this skill names are read as ${path}/<file>.)`;
    return { path, mime: 'text/markdown', text, sources: skill.sources };
  }
  const file = await skill.file(rest.join('/'));
  return file && { path, mime: file.mime, text: new TextDecoder().decode(file.bytes) };
}
