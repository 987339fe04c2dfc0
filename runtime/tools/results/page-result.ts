import type { ShortNames } from '../../timeline/short-names.ts';
import { pageCharsMin } from '../limits.ts';
import type { TurnServices } from '../ports/call-services.ts';
import type { ToolOutcome, ToolSpec } from '../ports/tool.ts';
import { grouped } from '../text/cut-text.ts';

type PagePlace = {
  readonly spec: Pick<ToolSpec, 'id' | 'kind' | 'traits' | 'resultAs'>;
  /** `tc_…` */
  readonly call: string;
  readonly services: Pick<TurnServices, 'writeFile'>;
  readonly names: Pick<ShortNames, 'path'>;
};

type PageFormat = { readonly extension: string; readonly mime: string; readonly name: string };
const html: PageFormat = { extension: 'html', mime: 'text/html', name: 'HTML' };
const markdown: PageFormat = { extension: 'md', mime: 'text/markdown', name: 'Markdown' };

/**
 * A result that is a page is for people: it becomes a file that they see, and the model reads one line with its path, so that
 * it does not repeat the page. The result of a look-up is for the model and stays as it is, unless its tool says otherwise.
 */
export async function withPage(outcome: ToolOutcome, place: PagePlace): Promise<ToolOutcome> {
  const { result, preview } = outcome;
  const { spec, call, services, names } = place;
  if (!result.ok || typeof result.ret !== 'string' || preview !== undefined) return outcome;
  const text = result.ret;
  const format = formatOf(text, spec);
  if (!format) return outcome;
  const { path } = await services.writeFile({
    filepath: `outputs/results/${call}.${format.extension}`,
    mime: format.mime,
    bytes: Buffer.from(text),
    description: `result of ${spec.id}`,
  });
  const size = `${grouped(text.length)} characters of ${format.name}`;
  const line = `${size} at ${names.path(path)}; people see the page. react.read shows its text.`;
  return { ...outcome, preview: line };
}

function formatOf(text: string, { kind, traits, resultAs }: PagePlace['spec']) {
  const isHtml = /^\s*<(?:!doctype html|html)[\s>]/i.test(text);
  if (resultAs === 'page') return isHtml ? html : markdown;
  if (resultAs === 'text' || kind !== 'bundle' || traits.includes('exploration')) return undefined;
  if (isHtml) return html;
  return text.length >= pageCharsMin && /^\s*#{1,2} \S/.test(text) ? markdown : undefined;
}
