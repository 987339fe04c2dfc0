import { isFault } from '../../../base/fault.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import type { SourceLocations } from './source-locations.ts';

/** One problem of a bundle. `warning`: the bundle can still be served. */
export type BundleFinding = {
  readonly level: 'error' | 'warning';
  readonly what: 'load' | 'types' | 'secret' | 'notice' | 'model' | 'room';
  /** `file:line` in the bundle's folder; empty if not known. */
  readonly places: readonly string[];
  readonly says: string;
  /** How to fix it, if the message does not say it. */
  readonly fix?: string;
};

/** Formats a finding as text. */
export function toLines({ level, what, places, says, fix }: BundleFinding): string {
  const at = places.length > 0 ? `${places.join(', ')}: ` : '';
  const todo = fix === undefined ? '' : `\n    ${fix}`;
  return escapeControl(`${level === 'error' ? '✗' : '!'} ${what.padEnd(7)} ${at}${says}${todo}\n`);
}

/** Formats a finding as one line of JSON. */
export function toJsonLine(bundle: string, finding: BundleFinding): string {
  return `${JSON.stringify({ bundle, ...finding })}\n`;
}

/** The bundle of a finding. */
export type FindingContext = { readonly dir: string; readonly places: SourceLocations };
type UnlocatedFinding = Omit<BundleFinding, 'places'>;

/** Adds the location at the front of the message, else the lines that contain the names in the message. */
export function toFinding(
  { says, ...finding }: UnlocatedFinding,
  { dir, places }: FindingContext,
): BundleFinding {
  const text = says.replaceAll(`${dir}/`, '').replace(`${dir}: `, '');
  const [, place] = /^(?:skill “[^”]+” was left out: )?(\S+?:\d+(?::\d+)?): /.exec(text) ?? [];
  if (place === undefined) return { ...finding, says: text, places: places.of(text) };
  return { ...finding, says: text.replace(`${place}: `, ''), places: [place] };
}

/** One finding for each problem of a Fault. Other errors are defects and are thrown again. */
export function findingsOf(
  error: unknown,
  { at, what = 'load' }: { readonly at: FindingContext; readonly what?: BundleFinding['what'] },
): readonly BundleFinding[] {
  if (!isFault(error)) throw error;
  const { problems, notices } = error.detail;
  const messages = textsOf(problems);
  const errors = messages.length > 0 ? messages : [error.message];
  return [
    ...errors.map((says) => toFinding({ level: 'error', what, says }, at)),
    ...textsOf(notices).map((says) => toFinding({ level: 'warning', what: 'notice', says }, at)),
  ];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
