import { test } from 'vitest';
import type { ManualClock } from '../../../../runtime/testing/clock.ts';
import type { BlobStore } from '../../../../runtime/timeline/ports/blobs.ts';
import type { Language, Sandbox } from '../../../../runtime/tools/ports/sandbox.ts';

export type Opened = {
  readonly sandbox: Sandbox & AsyncDisposable;
  readonly blobs: BlobStore;
  /** Its own: programs have the time that this says. */
  readonly clock: ManualClock;
  /** Where a workspace has no size of its own: it is measured, and who writes more than it may is ended. */
  readonly elsewhere?: true;
  /** Where a supervisor lives in one room with the program: their processes are seen beside its own. */
  readonly together?: true;
};
export type Programs = Readonly<Partial<Record<Language, string>>>;

export const bothLanguages: readonly Language[] = ['python', 'javascript'];
let languages = bothLanguages;

/** Declares tests whose programs are in these languages; a program in none of them is declared all the same. */
export function withLanguages(some: readonly Language[], declare: () => void): void {
  languages = some;
  declare();
  languages = bothLanguages;
}

/** Whether the tests that are being declared have programs in one language alone. */
export function isOneLanguage(): boolean {
  return languages.length === 1;
}

/** The same promise for each language there is a program for. */
export function each(
  promise: string,
  programs: Programs,
  check: (language: Language, code: string) => Promise<void>,
): void {
  const written = bothLanguages.filter((language) => programs[language] !== undefined);
  const wanted = written.filter((language) => languages.includes(language));
  for (const language of wanted.length > 0 ? wanted : written) {
    const code = programs[language] ?? '';
    test(`${promise} (${language})`, () => check(language, code));
  }
}

/** A program that leaves one file beneath OUTPUT_DIR. */
export const write = (path: string, text: string): Programs => ({
  python: `import os
os.makedirs(os.path.dirname(f"{OUTPUT_DIR}/${path}"), exist_ok=True)
open(f"{OUTPUT_DIR}/${path}", "w", encoding="utf-8").write(${JSON.stringify(text)})`,
  javascript: `require('node:fs').mkdirSync(require('node:path').dirname(\`\${OUTPUT_DIR}/${path}\`), { recursive: true });
require('node:fs').writeFileSync(\`\${OUTPUT_DIR}/${path}\`, ${JSON.stringify(text)});`,
});
