import { spawn } from 'node:child_process';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { makeServer, type OfferedTool, textResult } from './make-server.ts';

/** Run as a child: says what it sees, ends on request, leaves a grandchild behind. */
const tools: readonly OfferedTool[] = [
  { name: 'environment', run: () => textResult(JSON.stringify(process.env)) },
  { name: 'where', run: () => textResult(process.cwd()) },
  { name: 'pid', run: () => textResult(String(process.pid)) },
  { name: 'die', run: () => process.exit(3) },
  {
    name: 'grandchild',
    run: () => textResult(String(spawn('sleep', ['1000'], { stdio: 'ignore' }).pid)),
  },
  { name: 'flood', run: () => textResult('x'.repeat(17 * 1024 * 1024)) },
  {
    name: 'stubborn',
    run: () => {
      process.on('SIGTERM', () => undefined);
      process.stdin.resume();
      setInterval(() => undefined, 1_000);
      return textResult('I stay');
    },
  },
];
process.stderr.write(`starting with ${process.env['TOKEN'] ?? 'no token'}\n`);
await makeServer(() => tools).connect(new StdioServerTransport());
