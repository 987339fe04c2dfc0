import type { JsonObject } from '../../base/json.ts';
import type { SurfaceButton } from '../../sdk/contract/surface.ts';
import { textOf } from '../feed/wire-json.ts';
import { approvalInputCharsMax } from './limits.ts';

const outcomes: Readonly<Record<string, string>> = {
  allowed: 'Allowed',
  denied: 'Denied',
  expired: 'Not answered in time',
  interrupted: 'No longer needed',
};

export type Decision = {
  readonly request: string;
  readonly allow: boolean;
  readonly remember?: 'turn' | 'conversation';
};

/** A question with buttons; once it is closed, its outcome. */
export function approvalOf(
  type: string,
  data: JsonObject,
): { key: string; text: string; buttons?: readonly SurfaceButton[] } {
  const request = textOf(data['request']);
  const key = `approval.${request}`;
  const tool = textOf(data['tool']);
  if (type === 'approval.closed') {
    const outcome = outcomes[textOf(data['outcome'])] ?? 'Closed';
    return { key, text: tool === '' ? outcome : `${outcome}: \`${tool}\`` };
  }
  const title = textOf(data['title']) || tool;
  const input = JSON.stringify(data['input'] ?? {}, null, 2);
  const shown =
    input.length > approvalInputCharsMax ? `${input.slice(0, approvalInputCharsMax)}…` : input;
  const detail = textOf(data['detail']);
  // A question about the turn itself, such as a spending limit, has no call.
  const call = tool === '' ? '' : `\`\`\`json\n${shown}\n\`\`\``;
  const text = [`**${title}**`, detail, call].filter((each) => each !== '');
  return { key, text: text.join('\n'), buttons: buttonsFor(request, textOf(data['remember'])) };
}

function buttonsFor(request: string, widest: string): readonly SurfaceButton[] {
  const allow = (scope: string, label: string) => ({ label, value: `allow.${scope}.${request}` });
  return [
    allow('once', 'Allow'),
    ...(widest === 'once' ? [] : [allow('turn', 'Allow for this answer')]),
    ...(widest === 'conversation' ? [allow('conversation', 'Allow for this chat')] : []),
    { label: 'Deny', value: `deny.once.${request}` },
  ];
}

/** What a press of a button decides; undefined: not one of these buttons. */
export function decisionOf(value: string): Decision | undefined {
  const [, word, scope, request = ''] =
    /^(allow|deny)\.(once|turn|conversation)\.([\w-]+)$/.exec(value) ?? [];
  if (word === undefined) return undefined;
  const remember =
    scope === 'turn' || scope === 'conversation' ? ({ remember: scope } as const) : {};
  return { request, allow: word === 'allow', ...remember };
}
