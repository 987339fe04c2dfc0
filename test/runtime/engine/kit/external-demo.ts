import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSettings } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { turnToChoose } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { message, openAgentPrograms, type Prompted } from './agent-program.ts';
import { openHarness } from './harness.ts';

const program = {
  program: 'demo',
  files: [{ path: 'AGENTS.md', bytes: Buffer.from('Be brief.') }],
  egress: [],
  mcpServers: [],
};

/** A worker whose agent is a program with this script. */
export async function openDemo(
  script: (prompted: Prompted) => Promise<'end_turn' | 'cancelled'>,
  options: Partial<AgentSettings> = {},
) {
  const programs = await openAgentPrograms(script);
  const harness = await openHarness([], {
    agent: { ...options, external: program },
    externalAgents: programs.agents,
  });
  return {
    ...{ programs, harness },
    decide: (request: string, allow: boolean) =>
      harness.write({
        type: 'approval.decision',
        path: paths.approval(turnToChoose, 'decision', request),
        text: '',
        data: { request, allow },
      }),
    [Symbol.asyncDispose]: async () => {
      await using _programs = programs;
      await harness[Symbol.asyncDispose]();
    },
  };
}

const edit = { toolCallId: 'e1', title: 'Edit notes.md', rawInput: { path: 'notes.md' } };

/** Writes a file, if it may. */
export async function editNotes(prompted: Prompted, text: string) {
  await prompted.update({ ...edit, sessionUpdate: 'tool_call', kind: 'edit', status: 'pending' });
  const answer = await prompted.ask(edit);
  if (answer === 'cancelled') return 'cancelled' as const;
  const done = { sessionUpdate: 'tool_call_update', toolCallId: edit.toolCallId } as const;
  if (answer === 'no') {
    await prompted.update({ ...done, status: 'failed' });
    await prompted.update(message('Not written.'));
    return 'end_turn' as const;
  }
  await writeFile(join(prompted.workspace, 'notes.md'), text);
  const diff = { type: 'diff' as const, path: '/workspace/notes.md', oldText: '', newText: text };
  await prompted.update({ ...done, status: 'completed', content: [diff] });
  await prompted.update(message('Written.'));
  return 'end_turn' as const;
}

export function isRequest({ type }: { type: string }): boolean {
  return type === 'approval.request';
}

export function requestOf(data: unknown): string {
  return String(Object(data)['request']);
}
