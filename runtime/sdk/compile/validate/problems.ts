import { Fault } from '../../../base/fault.ts';

/** Collects every culprit of a load, so that an author fixes them all at once. */
export interface Problems {
  add(problem: string): void;
  /** Fault `BUNDLE_INVALID`, if there was any; what was left out besides is in its detail. */
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

/** Names what is blank, not kebab-case or there twice. */
export function checkIds(what: string, ids: readonly string[], problems: Problems): void {
  for (const [index, id] of ids.entries()) {
    if (id.trim() === '') problems.add(`${what} number ${index + 1} has no id`);
    else if (!idShape.test(id)) problems.add(`${what} “${id}” is not kebab-case`);
    else if (ids.indexOf(id) !== index) problems.add(`${what} “${id}” is there twice`);
  }
}
