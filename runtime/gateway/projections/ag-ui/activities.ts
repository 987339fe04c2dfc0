import type { JsonObject } from '../../../base/json.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import { fileUrl } from '../file-url.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

/** Facts of a turn that stay visible, by the type of their envelope: the activity, and the field that identifies it. */
const activities: ReadonlyMap<string, readonly [activity: string, key: string]> = new Map([
  ['plan', ['plan', 'plan_id']],
  ['chat.tool.progress', ['progress', 'call']],
  ['chat.exec.status', ['exec', 'call']],
  ['chat.compaction', ['compaction', 'compaction_id']],
  ['chat.doubt', ['doubt', 'call']],
]);

/** Facts that pass. */
const passing: ReadonlySet<string> = new Set([
  ...['chat.exec.output', 'chat.exec.call', 'chat.followups', 'chat.citations', 'tools.selecting'],
  ...['tools.selected', 'secret.required', 'event.landed', 'event.recalled'],
]);

/** The events for what AG-UI has no event of its own for. */
export function toActivities(
  type: string,
  data: JsonObject,
  { conversation, turn }: { readonly conversation: string; readonly turn: string },
): readonly AgUiEvent[] {
  if (type === 'chat.files') return filesOf(data, conversation);
  if (type === 'event.accepted' && data['kind'] === 'prompt') return [];
  if (passing.has(type) || type === 'event.accepted') {
    return [{ type: 'CUSTOM', name: type, value: data }];
  }
  const [activityType, key] = activities.get(type) ?? [];
  if (activityType === undefined || key === undefined) return [];
  return [snapshot(`${turn}.${activityType}.${textOf(data[key])}`, activityType, data)];
}

export function snapshot(messageId: string, activityType: string, content: JsonObject): AgUiEvent {
  return { type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content };
}

function filesOf({ items }: JsonObject, conversation: string): readonly AgUiEvent[] {
  return (Array.isArray(items) ? items : []).map(objectOf).map((item) => {
    const path = textOf(item['path']);
    return snapshot(path, 'file', { ...item, url: fileUrl(conversation, path) });
  });
}
