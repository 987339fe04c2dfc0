export type FaultKind = 'input' | 'transient' | 'permanent';

type Entry = { readonly kind: FaultKind; readonly text: string };

/** Every fault the product can show, in words that say what to do. Mirrored in docs/reference/faults.md. */
export const faults = {
  CONFIG_INVALID: { kind: 'input', text: 'the configuration does not fit; nothing was started' },
  CONTEXT_TOO_SMALL: {
    kind: 'input',
    text: 'the context budget cannot hold the system text and the reserved output; raise AI_REACT_CONTEXT_MAX_TOKENS',
  },
  DATA_DIR_UNWRITABLE: {
    kind: 'input',
    text: 'the data directory cannot be written; make it writable or set TIMELOOM_DATA_DIR to one that is',
  },
  DATA_DIR_EXPOSED: {
    kind: 'input',
    text: 'other users can enter the data directory; set its mode to 0700 or set TIMELOOM_DATA_DIR to another one',
  },
  DATA_DIR_HELD: {
    kind: 'input',
    text: 'another process holds the data directory; stop it or set TIMELOOM_DATA_DIR to another one',
  },
  PORT_IN_USE: {
    kind: 'input',
    text: 'the port is in use; stop the other program or name a free one (--port or TIMELOOM_PORT)',
  },
  MODEL_NOT_CONFIGURED: {
    kind: 'input',
    text: 'no model is configured; set TIMELOOM_MODEL (anthropic:<model>, openai:<model>, scripted:<file>)',
  },
  MODEL_KEY_MISSING: {
    kind: 'input',
    text: 'the model provider needs a key; set ANTHROPIC_API_KEY or OPENAI_API_KEY for the model in TIMELOOM_MODEL',
  },
  MODEL_OVERLOADED: { kind: 'transient', text: 'the model service is busy' },
  MODEL_UNREACHABLE: { kind: 'transient', text: 'the model service cannot be reached' },
  MODEL_REFUSED: { kind: 'permanent', text: 'the model service refused the request' },
  MODEL_CONTEXT_OVERFLOW: { kind: 'permanent', text: 'the prompt is larger than the model takes' },
  SCRIPT_MISMATCH: { kind: 'permanent', text: 'the scripted model has no reply for this request' },
  SCRIPT_INVALID: {
    kind: 'input',
    text: 'the script of the scripted model does not fit its schema',
  },
  OUTPUT_INVALID: { kind: 'permanent', text: 'the model gave no output that fits the schema' },
  ISSUER_UNREACHABLE: {
    kind: 'transient',
    text: 'whoever signs the tokens cannot be asked for the keys; try again, and if it stays, check auth in assembly.yaml and the network',
  },
  SCANNER_UNREACHABLE: {
    kind: 'transient',
    text: 'files cannot be checked for viruses; start clamd, or set attachments.antivirus in gateway.yaml: the address of a clamd, or false to accept files without a check',
  },
  SERVER_UNREACHABLE: {
    kind: 'transient',
    text: 'the server does not answer; check the url and the network, then try again (a message under the same messageId is taken once)',
  },
  STORE_UNAVAILABLE: { kind: 'transient', text: 'the timeline store does not answer' },
  LEASE_LOST: { kind: 'transient', text: 'another worker owns the conversation now' },
  CONVERSATION_GONE: { kind: 'permanent', text: 'the conversation does not exist or was erased' },
  BLOB_MISSING: { kind: 'permanent', text: 'the stored bytes are missing' },
  BLOB_CORRUPT: { kind: 'permanent', text: 'the stored bytes do not match their hash' },
  BLOBS_UNAVAILABLE: {
    kind: 'transient',
    text: 'the blob store does not answer; check TIMELOOM_BLOBS and the credentials of its service',
  },
  MIGRATION_FAILED: {
    kind: 'permanent',
    text: 'the database schema could not be brought up to date',
  },
  EXEC_FAILED: { kind: 'transient', text: 'the execution could not be carried out' },
  EXEC_PROTOCOL: { kind: 'permanent', text: 'the executor broke the frame protocol' },
  BUNDLE_INVALID: { kind: 'input', text: 'the bundle does not load' },
  OPERATION_FAILED: {
    kind: 'permanent',
    text: 'the operation failed; the log of the server says why',
  },
  OPERATION_TIMEOUT: {
    kind: 'transient',
    text: 'the operation took too long and was stopped; ask again, or have its bundle allow it more time (timeoutMs)',
  },
  NOT_AVAILABLE: {
    kind: 'permanent',
    text: 'this installation does not offer what the bundle asks for',
  },
  NOT_IN_BUNDLE: { kind: 'input', text: 'the definition is not listed in the bundle' },
  SECRET_MISSING: { kind: 'permanent', text: 'a secret is not set' },
  STORED_INVALID: { kind: 'permanent', text: 'a stored value no longer fits its schema' },
  SUPERVISOR_FAILED: {
    kind: 'transient',
    text: 'the process that runs the tools of the bundle could not be started',
  },
  MCP_UNREACHABLE: {
    kind: 'transient',
    text: 'an MCP server that the bundle requires cannot be used; start it and check its address and its secret, or take `required` off it',
  },
  RESOURCE_FAILED: { kind: 'transient', text: 'a resource could not be opened' },
} as const satisfies Record<string, Entry>;
