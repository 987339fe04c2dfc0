import { expect, test } from 'vitest';
import { isRefusal } from '../../../../runtime/base/refusal.ts';
import { agentNamed, agentNames } from '../../../../runtime/gateway/endpoints/agent-name.ts';
import { attachmentFromUrl } from '../../../../runtime/gateway/endpoints/data-url.ts';
import { toMessageId } from '../../../../runtime/gateway/endpoints/foreign-ids.ts';

const agents = new Map([
  ['foo', ['main', 'bar']],
  ['bar', ['main', 'other']],
]);
const bundles = {
  default: () => ({ bundle: 'foo', agent: 'main' }),
  agent: (bundle: string, agent = agents.get(bundle)?.[0]) =>
    agents.get(bundle)?.find((one) => one === agent),
  bundles: () =>
    [...agents].map(([id, names]) => ({ id, title: id, version: '1', agents: names, widgets: [] })),
};

// proves: endpoints.agents
test('an agent is named by bundle and agent, by its name in the default bundle, or by its bundle', () => {
  expect(agentNamed(bundles, 'bar/main')).toEqual({ bundle_id: 'bar', agent_id: 'main' });
  expect(agentNamed(bundles, 'main')).toEqual({ bundle_id: 'foo', agent_id: 'main' });
  expect(agentNamed(bundles, 'bar')).toEqual({ bundle_id: 'foo', agent_id: 'bar' });
  expect(agentNamed(bundles, 'foo')).toEqual({ bundle_id: 'foo', agent_id: 'main' });
  for (const name of ['', 'other', 'bar/none', 'no/main', 'bar/main/main', '/main'])
    expect(refusalOf(() => agentNamed(bundles, name))).toBe('not_found');
  expect(agentNames(bundles)).toEqual(['foo/main', 'foo/bar', 'bar/main', 'bar/other']);
});

test('a data: URL is an attachment, and no other URL is fetched', () => {
  const place = 'file';
  const png = attachmentFromUrl('data:image/png;base64,iVBORw0KGgo=', { name: 'a.png', place });
  expect(png).toEqual({ name: 'a.png', mime: 'image/png', data: 'iVBORw0KGgo=' });
  const text = attachmentFromUrl('data:,a%20b', { place });
  expect(text).toEqual({ name: 'file.txt', mime: 'text/plain', data: 'YSBi' });
  for (const url of ['https://example.org/a.png', 'data:', 'data:,%E0%A4%A', ''])
    expect(refusalOf(() => attachmentFromUrl(url, { place }))).toBe('invalid_input');
});

test('an id of another protocol becomes a message id, the same for the same id', () => {
  expect(toMessageId('abc_123')).toBe('abc_123');
  expect(toMessageId('a key: with anything')).toMatch(/^msg_[0-9a-f]{40}$/);
  expect(toMessageId('a key: with anything')).toBe(toMessageId('a key: with anything'));
});

function refusalOf(act: () => unknown): string {
  try {
    act();
    return 'nothing';
  } catch (error) {
    return isRefusal(error) ? error.code : String(error);
  }
}
