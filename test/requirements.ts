import { ofTheDesign } from './requirements/design.ts';
import { ofIssue2 } from './requirements/issue-2.ts';
import { ofIssue3 } from './requirements/issue-3.ts';
import { ofIssue4 } from './requirements/issue-4.ts';

export type Requirement = {
  /** One sentence that a reader can hold the program to. */
  readonly claim: string;
  /** Where it was promised: a chapter of the design, or a part of an issue. */
  readonly source: string;
};

/**
 * What was promised, by the place where it was: the design, and one file for each issue. A test cites ids in a comment
 * that begins `proves:`; a promise that no test cites fails `test/architecture/requirements.test.ts`.
 */
const promised = { ...ofTheDesign, ...ofIssue2, ...ofIssue3, ...ofIssue4 };

export const requirements: ReadonlyMap<string, Requirement> = new Map(
  Object.entries(promised).flatMap(([source, claims]) =>
    Object.entries(claims).map(([id, claim]) => [id, { claim, source }] as const),
  ),
);
