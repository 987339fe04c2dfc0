import { expect, test } from 'vitest';
import { config, inFolder, problems } from './config-kit.ts';

inFolder();

// proves: exec.config-reported
test('missing settings are reported as missing', () => {
  const files = { 'assembly.yaml': 'ai: {}\n', 'bundles.yaml': 'bundles:\n  - path: ./x\n' };
  expect(problems(files)).toEqual([
    'assembly.yaml:1: ai.react: required',
    'bundles.yaml:2: bundles[0].id: required',
  ]);
});

// proves: exec.config-reported
test('an installation cannot exceed the limits of the platform', () => {
  const ceilings = 'ceilings: { exec_memory_mb: 16385, exec_timeout_ms: 900001 }\n';
  const found = problems({ 'assembly.yaml': `exec: { timeout_ms: 900001 }\n${ceilings}` });
  expect(found).toEqual([
    'assembly.yaml:1: exec.timeout_ms: Too big: expected number to be <=900000',
    'assembly.yaml:2: ceilings.exec_memory_mb: Too big: expected number to be <=16384',
    'assembly.yaml:2: ceilings.exec_timeout_ms: Too big: expected number to be <=900000',
  ]);
});

// proves: exec.docker-combined-chosen, exec.config-reported
test.each(['runtime: crun', 'docker: split'])(
  '%s is rejected without Docker, with its location',
  (said) => {
    const [key = ''] = said.split(':');
    const text = `exec:\n  mode: process\n  ${said}\n`;
    expect(problems({ 'assembly.yaml': text })).toEqual([
      `assembly.yaml:3: exec.${key}: only Docker supports it, and the mode is process; remove it, or set mode: docker`,
    ]);
    const fargate = { TIMELOOM_EXEC_MODE: 'fargate' };
    expect(problems({ 'assembly.yaml': `exec:\n  ${said}\n` }, fargate)).toContain(
      `assembly.yaml:2: exec.${key}: only Docker supports it, and the mode is fargate; remove it, or set mode: docker`,
    );
    for (const mode of ['auto', 'docker', 'off'])
      expect(config({ 'assembly.yaml': `exec:\n  mode: ${mode}\n  ${said}\n` }).execMode).toBe(
        mode,
      );
  },
);

// proves: exec.config-reported
test.each(['network_mode', 'extra_args'])(
  'a network or an argument of the container stops the start',
  (key) => {
    const text = `exec:\n  mode: docker\n  ${key}: host\n`;
    expect(problems({ 'assembly.yaml': text })).toEqual([
      `assembly.yaml:3: exec.${key}: unknown key`,
    ]);
  },
);
