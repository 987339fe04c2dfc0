import type { ExecArtifact, LeftoverFile, TextPreview } from '../../runtime/tools/ports/sandbox.ts';
import { takeWindow } from '../../runtime/tools/react/read/text-window.ts';
import { grouped } from '../../runtime/tools/text/cut-text.ts';
import { codeFence } from './code-fence.ts';
import { reportPreviewChars, reportPreviewsChars, undeclaredShownMax } from './limits.ts';

type Files = { readonly artifacts: readonly ExecArtifact[]; readonly fileMb: number };

const keptAbout = 'Kept, although the program failed; the user has those that are external.';

/** One line for each file, then the beginnings of text files; empty without files. */
export function filesSection({
  artifacts: all,
  fileMb,
  failed = false,
}: Files & { readonly failed?: boolean }): string {
  const artifacts = all.filter(({ undeclared }) => !undeclared);
  if (artifacts.length === 0) return '';
  const texts = artifacts.flatMap(({ filepath, preview }) =>
    preview === undefined || preview.text_preview === '' ? [] : [{ filepath, preview }],
  );
  const shown: string[] = [];
  let left = reportPreviewsChars;
  for (const { filepath, preview } of texts) {
    if (left < reportPreviewChars) break;
    const beginning = beginningOf(filepath, preview);
    left -= beginning.length;
    shown.push(beginning);
  }
  const more = texts.length - shown.length;
  const rest = more === 0 ? [] : [`The text of ${more} more is not shown here: react.read.`];
  const rows = artifacts.map((file) => fileLine(file, fileMb));
  return [['## Files', ...(failed ? [keptAbout] : []), ...rows].join('\n'), ...shown, ...rest].join(
    '\n\n',
  );
}

/** Undeclared files in the workspace, which later programs find again; empty if there are none. */
export function keptSection({ artifacts, fileMb }: Files): string {
  const kept = artifacts.filter(({ undeclared }) => undeclared);
  return listSection('Kept for you', {
    about:
      'In files/, and not named in the contract: programs of this turn find them there, those of later turns after react.pull or react.checkout. People do not get them.',
    rows: kept.map((file) => fileLine(file, fileMb)),
  });
}

/** Undeclared files that are not kept; empty if there are none. */
export function leftSection(left: readonly LeftoverFile[]): string {
  return listSection('Not delivered', {
    about:
      'Written, not named in the contract, and gone. To have them, name them in params.contract and run it again.',
    rows: left.map(
      ({ filepath, size, code }) =>
        `- ${filepath} (${code === undefined ? `${grouped(size)} bytes` : code})`,
    ),
  });
}

function listSection(
  title: string,
  { about, rows }: { about: string; rows: readonly string[] },
): string {
  if (rows.length === 0) return '';
  const shown = rows.slice(0, undeclaredShownMax);
  const more = rows.length - shown.length;
  return [`## ${title}`, about, ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function fileLine(file: ExecArtifact, fileMb: number): string {
  const { filepath, blob, mime, visibility, description } = file;
  const about = description === '' ? '' : ` – ${description}`;
  const isCut = blob.size === fileMb * 1024 * 1024;
  const cut = isCut ? ' – may be cut: the program reached its file size limit' : '';
  return `- ${filepath} (${grouped(blob.size)} bytes, ${mime}, ${visibility})${about}${cut}`;
}

function beginningOf(filepath: string, preview: TextPreview): string {
  const { text_preview, text_truncated, line_count, counted } = preview;
  const limits = { chars: reportPreviewChars, tokens: Infinity, numbers: 'lines' } as const;
  const { text, to, end, cutLine } = takeWindow(text_preview, {}, limits);
  const whole = end === text_preview.length && !text_truncated;
  const lines = `${counted === undefined ? '' : 'at least '}${grouped(line_count)}`;
  const part = whole
    ? `whole (${lines} ${line_count === 1 ? 'line' : 'lines'})`
    : `lines 1-${to} of ${lines}${cutLine ? ', the last one cut' : ''}`;
  return `### ${filepath}, ${part}\n${codeFence(text)}`;
}
