import type {
  ExecEnvelope,
  LeftoverFile,
  UndeliveredFile,
} from '../../runtime/tools/ports/sandbox.ts';
import { codeFence } from './code-fence.ts';
import type { OutputExcerpt } from './output-excerpt.ts';
import { filesSection, keptSection, leftSection } from './report-files.ts';

type ReportInput = Pick<ExecEnvelope, 'artifacts' | 'error'> & {
  readonly left: readonly LeftoverFile[];
  readonly stdout: OutputExcerpt;
  readonly stderr: OutputExcerpt;
  /** The contract is empty: the printed output is the result. */
  readonly printOnly: boolean;
  /** Maximum size of one file. */
  readonly fileMb: number;
};

/** The text that the model reads: status, error, files, output, in this order; empty sections are left out. */
export function toReport(run: ReportInput): string {
  const parts = [
    run.error === null ? 'Status: ok' : `Status: error (${run.error.code})\n${run.error.message}`,
    run.error === null ? '' : output('Error output', run.stderr),
    section(
      'Missing or unfit files',
      (run.error?.files ?? []).map(
        (file) => `- ${file.filepath}: ${file.code}${missingHint(file)}`,
      ),
    ),
    filesSection({ ...run, failed: run.error !== null }),
    keptSection(run),
    leftSection(run.left),
    run.printOnly && run.stdout.text === '' ? '## Output\n(nothing was printed)' : '',
    output('Output', run.stdout),
    run.error === null ? output('Warnings', run.stderr) : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function missingHint({ filepath, code, found_at }: UndeliveredFile): string {
  if (code !== 'missing_file') return '';
  if (found_at === undefined)
    return ' (this run did not write it beneath OUTPUT_DIR; an earlier version of it, if any, stays)';
  return ` (it lies at OUTPUT_DIR/${found_at}: write it to OUTPUT_DIR/${filepath})`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}`;
}

function output(title: string, { text, part }: OutputExcerpt): string {
  const heading = part === undefined ? title : `${title} (${part})`;
  return text === '' ? '' : `## ${heading}\n${codeFence(text)}`;
}
