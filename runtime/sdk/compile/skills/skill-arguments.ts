import { z } from 'zod';
import {
  skillArgumentDescriptionCharsMax,
  skillArgumentNameCharsMax,
  skillArgumentsMax,
  skillArgumentValueCharsMax,
  skillArgumentValuesMax,
} from '../../contract/limits.ts';
import { argumentNameShape, placeholdersIn } from '../../contract/placeholders.ts';
import type { SkillArgument } from '../../define/skill.ts';

/** What `arguments` of `defineSkill` and `arguments.yaml` of a folder say. */
export const SkillArguments = z
  .array(
    z.strictObject({
      name: z
        .string()
        .max(skillArgumentNameCharsMax)
        .regex(argumentNameShape, 'is not a letter followed by letters, digits, “_” and “-”'),
      description: z.string().min(1).max(skillArgumentDescriptionCharsMax).exactOptional(),
      required: z.boolean().exactOptional(),
      values: z
        .array(z.string().min(1).max(skillArgumentValueCharsMax))
        .max(skillArgumentValuesMax)
        .exactOptional(),
    }),
  )
  .max(skillArgumentsMax);

/**
 * Without arguments, `{{` is text like any other. Throws, with `place` before the reason: an argument and the text do not name
 * each other.
 */
export function assertPlaceholders(
  text: string,
  slots: readonly SkillArgument[],
  place: string,
): void {
  if (slots.length === 0) return;
  const problem = problemWith(placeholdersIn(text), slots);
  if (problem !== undefined) throw new Error(`${place}${problem}`);
}

function problemWith(
  used: ReadonlySet<string>,
  slots: readonly SkillArgument[],
): string | undefined {
  const names = slots.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `two of its arguments have the name “${twice}”`;
  const unused = names.find((name) => !used.has(name));
  if (unused !== undefined) {
    return `its text does not use the argument “${unused}”: write {{${unused}}} there`;
  }
  const unknown = [...used].find((name) => !names.includes(name));
  return unknown && `its text uses {{${unknown}}}, which is not one of its arguments`;
}

/** For agents, which read the text with its placeholders. */
export function argumentLines(slots: readonly SkillArgument[]): string {
  if (slots.length === 0) return '';
  const lines = slots.map(({ name, description, required }) => {
    const about = description === undefined ? '' : `: ${description}`;
    return `- {{${name}}} (${required === true ? 'required' : 'optional'})${about}`;
  });
  return ['Placeholders in this skill; take their values from the request:', ...lines].join('\n');
}
