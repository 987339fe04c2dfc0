import { Fault } from '../../../base/fault.ts';

/** Collects all problems of a load, so that an author can fix them together. */
export interface Problems {
  add(problem: string): void;
  /** Throws Fault `BUNDLE_INVALID` if there are problems. Its detail includes the notices. */
  settle(bundle: string, notices?: readonly string[]): void;
}

export function createProblems(): Problems {
  const found = new Set<string>();
  return {
    add: (problem) => {
      found.add(problem);
    },
    settle: (bundle, notices = []) => {
      if (found.size === 0) return;
      const problems = [...found];
      throw new Fault('BUNDLE_INVALID', {
        bundle,
        problems,
        notices,
        because: `${bundle}: ${problems.join('; ')}`,
      });
    },
  };
}

const idShape = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Reports ids that are blank, not kebab-case or duplicates. */
export function checkIds(what: string, ids: readonly string[], problems: Problems): void {
  for (const [index, id] of ids.entries()) {
    if (id.trim() === '') problems.add(`${what} number ${index + 1} has no id`);
    else if (!idShape.test(id)) problems.add(`${what} “${id}” is not kebab-case`);
    else if (ids.indexOf(id) !== index) problems.add(`duplicate ${what} “${id}”`);
  }
}
