import { expect, test } from 'vitest';
import { openHttpMcp } from './http-server.ts';
import { contextOf, httpSettings, openPool, patiently, run, toolOf } from './kit.ts';
import { textResult } from './make-server.ts';

const echo = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, times: { type: 'integer' } },
    required: ['text'],
  },
  run: ({ text, times = 1 }: Record<string, unknown>) =>
    textResult(String(text).repeat(Number(times))),
};

test.each([false, true])(
  'a tool of a server is called like any other (protocol of 2026: %s)',
  async (modern) => {
    await using mcp = await openHttpMcp([echo], { modern });
    await using pool = openPool();
    const server = await pool.open(httpSettings(mcp.url), patiently);
    expect(pool.told).toEqual([]);
    const tool = toolOf(server, 'echo');
    expect(tool.spec).toMatchObject({
      id: 'mcp.demo.echo',
      description: 'Says it again.',
      effects: 'unkeyed',
      kind: 'platform',
      parameters: { properties: { text: { type: 'string' } }, required: ['text'] },
    });
    expect(await run(tool, { text: 'ab', times: 2 })).toEqual({ ok: true, ret: 'abab' });
  },
);
