export type FaultKind = 'input' | 'transient' | 'permanent';

type Entry = { readonly kind: FaultKind; readonly text: string };

/** Every fault the product can report. The text says what to do. Mirrored in docs/reference/faults.md. */
export const faults = {
  CONFIG_INVALID: { kind: 'input', text: 'the configuration is invalid; nothing was started' },
  CONTEXT_TOO_SMALL: {
    kind: 'input',
    text: 'the context limit is too small for the system text and the reserved output; raise AI_REACT_CONTEXT_MAX_TOKENS',
  },
  DATA_DIR_UNWRITABLE: {
    kind: 'input',
    text: 'the data directory is not writable; make it writable or set TIMELOOM_DATA_DIR to a writable directory',
  },
  DATA_DIR_EXPOSED: {
    kind: 'input',
    text: 'other users can access the data directory; set its mode to 0700 or set TIMELOOM_DATA_DIR to another directory',
  },
  DATA_DIR_HELD: {
    kind: 'input',
    text: 'another process holds the data directory; stop it or set TIMELOOM_DATA_DIR to another directory',
  },
  PORT_IN_USE: {
    kind: 'input',
    text: 'the port is in use; stop the other program or choose a free port (--port or TIMELOOM_PORT)',
  },
  MODEL_NOT_CONFIGURED: {
    kind: 'input',
    text: 'no model is configured; set TIMELOOM_MODEL (anthropic:<model>, openai:<model>, scripted:<file>)',
  },
  MODEL_KEY_MISSING: {
    kind: 'input',
    text: 'the model provider requires an API key; set it in the environment or in secrets.yaml',
  },
  MODEL_OVERLOADED: { kind: 'transient', text: 'the model service is busy' },
  MODEL_UNREACHABLE: { kind: 'transient', text: 'the model service cannot be reached' },
  MODEL_NOT_STREAMED: {
    kind: 'permanent',
    text: 'the model service answered with JSON where a stream was expected; check its base URL, and that it and any proxy support streaming ("stream": true)',
  },
  MODEL_REFUSED: { kind: 'permanent', text: 'the model service refused the request' },
  MODEL_CONTEXT_OVERFLOW: {
    kind: 'permanent',
    text: 'the prompt exceeds the context window of the model',
  },
  SCRIPT_MISMATCH: { kind: 'permanent', text: 'the scripted model has no reply for this request' },
  SCRIPT_INVALID: {
    kind: 'input',
    text: 'the script of the scripted model is invalid',
  },
  OUTPUT_INVALID: {
    kind: 'permanent',
    text: 'the model returned no output that matches the schema',
  },
  ISSUER_UNREACHABLE: {
    kind: 'transient',
    text: 'cannot fetch signing keys from the token issuer; retry, and if this persists, check `auth` in assembly.yaml and network access',
  },
  SOURCE_UNREACHABLE: {
    kind: 'transient',
    text: 'the git repository cannot be read and no copy of it is cached; check its address, the credentials and network access',
  },
  SOURCE_REFUSED: {
    kind: 'input',
    text: 'the git repository does not contain what was asked for; check ref, commit, subdir and signers',
  },
  SURFACE_UNREACHABLE: {
    kind: 'transient',
    text: 'the messenger service cannot be reached; retry, and if this persists, check its token and network access',
  },
  SURFACE_REFUSED: { kind: 'permanent', text: 'the messenger service refused a request' },
  SCANNER_UNREACHABLE: {
    kind: 'transient',
    text: 'files cannot be scanned for viruses; start clamd, or set attachments.antivirus in gateway.yaml to the address of a clamd, or to false to accept files without a scan',
  },
  SERVER_UNREACHABLE: {
    kind: 'transient',
    text: 'the server does not respond; check the URL and the network, then retry (a message with the same messageId is accepted only once)',
  },
  STORE_UNAVAILABLE: { kind: 'transient', text: 'the timeline store does not respond' },
  LEASE_LOST: { kind: 'transient', text: 'another worker owns the conversation now' },
  CONVERSATION_GONE: { kind: 'permanent', text: 'the conversation does not exist or was erased' },
  BLOB_MISSING: { kind: 'permanent', text: 'the stored bytes are missing' },
  BLOB_CORRUPT: { kind: 'permanent', text: 'the stored bytes do not match their hash' },
  MEMORY_UNAVAILABLE: { kind: 'transient', text: 'the long-term memory does not respond' },
  MEMORY_REFUSED: {
    kind: 'permanent',
    text: 'the long-term memory refused the request; check its address and key',
  },
  BLOBS_UNAVAILABLE: {
    kind: 'transient',
    text: 'the blob store does not respond; check TIMELOOM_BLOBS and the credentials of its service',
  },
  MIGRATION_FAILED: {
    kind: 'permanent',
    text: 'the database schema could not be migrated',
  },
  MIGRATION_BLOCKED: {
    kind: 'transient',
    text: 'another database session holds a lock that the schema migration needs; wait for that session or end it, then start again',
  },
  EXEC_FAILED: { kind: 'transient', text: 'the execution failed to run' },
  EXEC_PROTOCOL: { kind: 'permanent', text: 'the executor violated the frame protocol' },
  AGENT_UNAVAILABLE: {
    kind: 'permanent',
    text: 'the agent program is not available in this installation; configure it under `agents` in assembly.yaml',
  },
  AGENT_FAILED: {
    kind: 'transient',
    text: 'the agent program failed to start or ended before its turn',
  },
  AGENT_LIMIT: { kind: 'permanent', text: 'the agent program reached a limit' },
  BUNDLE_INVALID: { kind: 'input', text: 'the bundle cannot be loaded' },
  OPERATION_FAILED: {
    kind: 'permanent',
    text: 'the operation failed; see the server log for the reason',
  },
  OPERATION_TIMEOUT: {
    kind: 'transient',
    text: 'the operation timed out and was stopped; retry, or raise its timeoutMs in the bundle',
  },
  NOT_AVAILABLE: {
    kind: 'permanent',
    text: 'this installation does not provide what the bundle requires',
  },
  NOT_IN_BUNDLE: { kind: 'input', text: 'the definition is not listed in the bundle' },
  SECRETS_UNAVAILABLE: {
    kind: 'transient',
    text: 'the secret store does not answer; check AWS_REGION, the credentials and their permission secretsmanager:GetSecretValue',
  },
  SECRET_MISSING: { kind: 'permanent', text: 'a secret is not set' },
  STORED_INVALID: { kind: 'permanent', text: 'a stored value no longer matches its schema' },
  SUPERVISOR_FAILED: {
    kind: 'transient',
    text: 'the process that runs the tools of the bundle could not be started',
  },
  WORKER_FAILED: {
    kind: 'transient',
    text: 'a worker process could not be started',
  },
  MCP_UNREACHABLE: {
    kind: 'transient',
    text: 'an MCP server that the bundle requires is not available; start it and check its address and its secret, or remove `required` from its configuration',
  },
  RESOURCE_FAILED: { kind: 'transient', text: 'a resource could not be opened' },
} as const satisfies Record<string, Entry>;
