import { isFault } from '../../../base/fault.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import type { SourceLocations } from './source-locations.ts';

/** One thing that is wrong with a bundle. `warning`: it is served all the same. */
export type BundleFinding = {
  readonly level: 'error' | 'warning';
  readonly what: 'load' | 'types' | 'secret' | 'notice' | 'model' | 'room';
  /** `file:line` in the bundle's folder, as far as it is known. */
  readonly places: readonly string[];
  readonly says: string;
  /** What to do, where that is not said already. */
  readonly fix?: string;
};

/** As people read it. */
export function toLines({ level, what, places, says, fix }: BundleFinding): string {
  const at = places.length > 0 ? `${places.join(', ')}: ` : '';
  const todo = fix === undefined ? '' : `\n    ${fix}`;
  return escapeControl(`${level === 'error' ? '✗' : '!'} ${what.padEnd(7)} ${at}${says}${todo}\n`);
}

/** As programs read it: one line. */
export function toJsonLine(bundle: string, finding: BundleFinding): string {
  return `${JSON.stringify({ bundle, ...finding })}\n`;
}

/** Of a bundle, for what is said of it. */
export type FindingContext = { readonly dir: string; readonly places: SourceLocations };
type UnlocatedFinding = Omit<BundleFinding, 'places'>;

/** With the place that stands at its front, else those in which its names stand. */
export function toFinding(
  { says, ...finding }: UnlocatedFinding,
  { dir, places }: FindingContext,
): BundleFinding {
  const text = says.replaceAll(`${dir}/`, '').replace(`${dir}: `, '');
  const [, place] = /^(?:skill “[^”]+” was left out: )?(\S+?:\d+(?::\d+)?): /.exec(text) ?? [];
  if (place === undefined) return { ...finding, says: text, places: places.of(text) };
  return { ...finding, says: text.replace(`${place}: `, ''), places: [place] };
}

/** Each culprit that a failure names. One that is no Fault is our own. */
export function findingsOf(
  error: unknown,
  { at, what = 'load' }: { readonly at: FindingContext; readonly what?: BundleFinding['what'] },
): readonly BundleFinding[] {
  if (!isFault(error)) throw error;
  const { problems, notices } = error.detail;
  const said = textsOf(problems);
  const errors = said.length > 0 ? said : [error.message];
  return [
    ...errors.map((says) => toFinding({ level: 'error', what, says }, at)),
    ...textsOf(notices).map((says) => toFinding({ level: 'warning', what: 'notice', says }, at)),
  ];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
