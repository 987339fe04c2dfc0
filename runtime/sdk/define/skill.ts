import type { ToolPattern } from './tool.ts';

export interface Skill {
  readonly id: string;
}

export interface SkillDefinition extends Skill {
  readonly definition: 'skill';
  readonly name: string;
  readonly description: string;
  readonly text: string | { readonly file: string };
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

/** Declares a skill in code. A folder with a SKILL.md is equivalent. */
export function defineSkill(skill: {
  id: string;
  name: string;
  description: string;
  text: string | { file: string };
  tools?: readonly { id: ToolPattern; why?: string; required?: boolean }[];
  sources?: readonly { sid?: number; url: string; title: string; text?: string }[];
  hidden?: boolean;
}): Skill {
  return Object.freeze({ definition: 'skill', ...skill } satisfies SkillDefinition);
}
