import { isJsonObject, type Json } from '../base/json.ts';

type Outlined = { readonly type: string; readonly text?: string; readonly data?: Json };

/** One readable line per block: `react.tool.call metrics.query`, `react.tool.result ok`. `families` selects block types by prefix. */
export function outline(
  blocks: readonly Outlined[],
  ...families: readonly string[]
): readonly string[] {
  return blocks
    .filter(({ type }) => families.length === 0 || families.some((each) => type.startsWith(each)))
    .map((block) => [block.type, aboutOf(block)].filter((part) => part !== '').join(' '));
}

function aboutOf({ type, text, data }: Outlined): string {
  const facts = isJsonObject(data) ? data : {};
  switch (type) {
    case 'react.tool.call':
      return String(facts['tool']);
    case 'react.tool.progress':
      return text ?? '';
    case 'react.tool.result':
      return facts['ok'] === true ? 'ok' : errorOf(facts['error']);
    case 'react.notice':
      return String(facts['code']);
    case 'turn.close':
      return String(facts['reason']);
    default:
      return '';
  }
}

function errorOf(error: Json | undefined): string {
  return isJsonObject(error) ? String(error['code']) : 'failed';
}
