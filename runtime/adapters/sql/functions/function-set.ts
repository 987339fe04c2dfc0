import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Orders the versions of the function files; raise it with every change of one. A program replaces the functions of a
 * lower revision, and leaves those of a higher one alone: two versions of the program on one database do not undo each
 * other's work. So the functions of a revision also serve the programs of the revision before.
 */
export const functionRevision = 6;

/** The SQL functions of the store, one file each, named after the function. */
export type FunctionSet = {
  readonly revision: number;
  readonly hash: string;
  readonly names: readonly string[];
  /** Statements that create or replace them all, in any order: bodies are not checked. */
  readonly text: string;
};

export function readFunctionSet(): FunctionSet {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
  const texts = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
  const text = texts.join('\n');
  return {
    revision: functionRevision,
    hash: `sha256:${createHash('sha256').update(text).digest('hex')}`,
    names: files.map((file) => basename(file, '.sql')),
    text,
  };
}
