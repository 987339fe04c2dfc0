import type { FaultCode } from '../../../../base/fault.ts';

const later = 'This is often over after a minute: send your message again then.';
const again = 'Send your message again.';
const operator = (task: string) =>
  `Sending it again will not help. Ask the operator of this server to ${task}.`;
const settings = operator('check its settings');
const files = operator('check the storage of files');

/** What people can do when a turn fails, by the code of its error. */
const advice: Readonly<Record<FaultCode, string>> = {
  CONFIG_INVALID: settings,
  CONTEXT_TOO_SMALL: operator('allow the agent a larger context'),
  DATA_DIR_UNWRITABLE: settings,
  DATA_DIR_EXPOSED: settings,
  DATA_DIR_HELD: settings,
  PORT_IN_USE: settings,
  MODEL_NOT_CONFIGURED: operator('configure a model (TIMELOOM_MODEL)'),
  MODEL_KEY_MISSING: operator('set the key of the model provider'),
  MODEL_OVERLOADED: later,
  MODEL_UNREACHABLE: later,
  MODEL_NOT_STREAMED: operator('check the address of the model: it must send streams'),
  MODEL_REFUSED:
    'Say it in other words, or leave out an attached file. If other messages fail as well, ask the operator of this server to check the model.',
  MODEL_CONTEXT_OVERFLOW:
    'Start a new conversation, or attach less: this one is too long for the model.',
  SCRIPT_MISMATCH:
    'This server plays a script, which has no reply to your message. Ask its operator to configure a model.',
  SCRIPT_INVALID: operator('correct the script of its model'),
  OUTPUT_INVALID: 'Send your message again, or say more exactly what you need.',
  ISSUER_UNREACHABLE: later,
  SOURCE_UNREACHABLE: operator('check where its agents are loaded from'),
  SOURCE_REFUSED: operator('check where its agents are loaded from'),
  SURFACE_UNREACHABLE: later,
  SURFACE_REFUSED: settings,
  SCANNER_UNREACHABLE:
    'Files cannot be checked now: send your message without them, or send it again later.',
  SERVER_UNREACHABLE: 'Check your network, then send your message again.',
  STORE_UNAVAILABLE: later,
  LEASE_LOST: again,
  CONVERSATION_GONE: 'The conversation was deleted: start a new one.',
  BLOB_MISSING: 'Attach the file again, in a new message.',
  BLOB_CORRUPT: 'Attach the file again, in a new message.',
  MEMORY_UNAVAILABLE: later,
  MEMORY_REFUSED: operator('check the long-term memory'),
  BLOBS_UNAVAILABLE: files,
  MIGRATION_FAILED: settings,
  MIGRATION_BLOCKED: later,
  EXEC_FAILED: again,
  EXEC_PROTOCOL: operator('check the sandbox of programs'),
  AGENT_UNAVAILABLE: operator('install the program of this agent'),
  AGENT_FAILED: again,
  AGENT_LIMIT: 'Ask for a smaller part of the work at once.',
  BUNDLE_INVALID: operator('check the bundle of this agent'),
  OPERATION_FAILED: operator('look up the reason in the log'),
  OPERATION_TIMEOUT: later,
  NOT_AVAILABLE: operator('provide what this agent requires'),
  NOT_IN_BUNDLE: operator('check the bundle of this agent'),
  SECRETS_UNAVAILABLE: later,
  SECRET_MISSING: operator('set the secret that this agent needs'),
  STORED_INVALID: operator('look up the reason in the log'),
  SUPERVISOR_FAILED: later,
  WORKER_FAILED: later,
  MCP_UNREACHABLE: later,
  RESOURCE_FAILED: later,
};
const others: Readonly<Record<string, string>> = {
  INTERNAL: `${again} If it happens again, tell the operator of this server the time and this code.`,
  COMPLETION_REFUSED: 'A rule of this agent refused the answer: ask in another way.',
  TURN_ABANDONED: `The work was interrupted several times. ${again}`,
  TOOL_FAILED: 'Say what to do instead, or send your message again.',
  output_invalid: advice.OUTPUT_INVALID,
};

/** Never empty. */
export function adviceFor(code: string): string {
  const known: Readonly<Record<string, string>> = { ...advice, ...others };
  return known[code] ?? `${again} If it happens again, tell the operator of this server: ${code}.`;
}
