import { readFileSync, statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { messageIn, usageComplaint } from '../console/complaint.js';
import type { Io } from '../console/io.js';

const bytesMax = 32 * 1024 * 1024;
const yamlName = /\.ya?ml$/i;

/**
 * Takes what `--data` said: JSON, `@file` or `-` for standard input. Gives the value.
 *
 * Refuses  a file that is not there, and text that is no JSON (YAML in a file that is named so).
 */
export async function bodyFrom(data: string, io: Io): Promise<unknown> {
  if (data === '-') return parsed(await textOf(io.input), 'standard input', false);
  if (data.startsWith('@')) return fileValue(data.slice(1));
  return parsed(data, '--data', false);
}

/** Takes a path; gives the JSON or YAML of the file. */
function fileValue(path: string): unknown {
  return parsed(fileText(path), path, yamlName.test(path));
}

/** Takes a path; gives the file's text. Refuses what is not there, no file, or too large. */
export function fileText(path: string): string {
  return fileBytes(path).toString('utf8');
}

export function fileBytes(path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > bytesMax) throw usageComplaint(`${path} is larger than ${bytesMax} bytes`);
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw usageComplaint(`${path} cannot be read (${code})`, 'Check the path: it is taken from the folder you are in');
  }
}

/** Takes text and where it is from; gives its value. */
export function parsed(text: string, from: string, isYaml: boolean): unknown {
  if (isYaml) {
    const document = parseDocument(text);
    const [fault] = document.errors;
    if (fault) throw usageComplaint(`${from} is no YAML: ${fault.message}`);
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw usageComplaint(`${from} is no JSON: ${messageIn(error)}`, `A body is JSON, @file or - for standard input`);
  }
}

/** Reads standard input to its end. */
export async function textOf(input: Io['input']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as string | Uint8Array);
    size += bytes.length;
    if (size > bytesMax) throw usageComplaint(`standard input has more than ${bytesMax} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
