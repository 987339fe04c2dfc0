import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { ToolSpec } from '../../../../runtime/tools/ports/tool.ts';
import { blocksOf, openWorld, ret } from '../kit.ts';

const page = '<!doctype html>\n<html><body>Rows</body></html>';
const report = `# Report\n\n${'A line of it. '.repeat(100)}`;

async function performed(text: string, spec: Partial<ToolSpec> = {}) {
  const world = await openWorld();
  const tool = createTool({
    id: 'desk.report',
    description: 'Reports.',
    kind: 'bundle',
    ...spec,
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: text } }),
  });
  return world.perform(tool, {});
}

// proves: tools.page-result
test.each([
  { what: 'an HTML document', text: page, extension: 'html', name: 'HTML' },
  { what: 'a long Markdown text', text: report, extension: 'md', name: 'Markdown' },
  { what: 'a declared page', text: '# Hi', extension: 'md', name: 'Markdown', as: 'page' as const },
])('$what becomes a file, and the model reads one line', async ({ text, extension, name, as }) => {
  const made = await performed(text, as ? { resultAs: as } : {});
  const [file] = blocksOf(made, 'artifact.file');
  expect(file?.path).toMatch(new RegExp(`outputs/results/tc_\\w+\\.${extension}$`));
  expect(file?.data).toMatchObject({ visibility: 'external' });
  expect(made.preview).toMatch(
    new RegExp(`^[\\d,]+ characters of ${name} at fi:t\\d+\\.outputs/.*react\\.read`),
  );
  expect(made.preview.length).toBeLessThan(200);
  expect(ret(made)).toBe(text);
});

// proves: tools.page-result
test.each<[string, string, Partial<ToolSpec>]>([
  ['the result of a look-up', page, { traits: ['exploration'] }],
  ['a page of a tool that wants it read', page, { resultAs: 'text' }],
  ['a short Markdown text', '# Hi\n\nThere.', {}],
  ['a text with a tag in it', 'see <html>', {}],
  ['a result of the platform', page, { kind: 'platform' }],
])('%s is shown as it is', async (_, text, spec) => {
  const made = await performed(text, spec);
  expect(made.preview).toBe(text);
  expect(blocksOf(made, 'artifact.file')).toEqual([]);
});
