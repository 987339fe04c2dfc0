/** Limits of an agent program, unless assembly.yaml sets others. */
export const agentMemoryMbDefault = 4_096;
export const agentCpusDefault = 2;
export const agentProcessesDefault = 512;
export const agentFileMbDefault = 1_024;
export const agentWorkspaceMbDefault = 2_048;
/** Days that a workspace is kept after its last use. */
export const agentKeepDaysDefault = 30;
