import type { ToolPattern } from './tool.ts';

export interface Skill {
  readonly id: string;
}

/** Something that the text of a skill leaves open: `{{name}}` stands for it. */
export interface SkillArgument {
  /** A letter, then letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description?: string;
  /** A client must give a value. Default: false; without a value the placeholder becomes empty. */
  readonly required?: boolean;
  /** Values that a client suggests while its user types. Other values are accepted. */
  readonly values?: readonly string[];
}

export interface SkillDefinition extends Skill {
  readonly definition: 'skill';
  readonly name: string;
  readonly description: string;
  readonly text: string | { readonly file: string };
  readonly arguments?: readonly SkillArgument[];
  readonly tools?: readonly {
    readonly id: string;
    readonly why?: string;
    readonly required?: boolean;
  }[];
  readonly sources?: readonly {
    readonly sid?: number;
    readonly url: string;
    readonly title: string;
    readonly text?: string;
  }[];
  readonly hidden?: boolean;
}

/**
 * Declares a skill in code. A folder with a SKILL.md is equivalent. MCP clients have skills as prompts and fill in `arguments`; an
 * agent that reads the skill sees the placeholders with their descriptions.
 */
export function defineSkill(skill: {
  id: string;
  name: string;
  description: string;
  text: string | { file: string };
  arguments?: readonly SkillArgument[];
  tools?: readonly { id: ToolPattern; why?: string; required?: boolean }[];
  sources?: readonly { sid?: number; url: string; title: string; text?: string }[];
  hidden?: boolean;
}): Skill {
  return Object.freeze({ definition: 'skill', ...skill } satisfies SkillDefinition);
}
