import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isWithin } from '../folder.js';
import type { Json } from '../records.js';
import { Fault } from './documents.js';

/** Reads what documents leave out: secrets from variables, secrets and sources from files. */
export class References {
  /** What was read, by the names that the plan shows. */
  readonly read = new Set<string>();

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly folder: string | null,
    private readonly allowed: readonly string[],
  ) {}

  /** @throws Fault saying what is wrong with the reference, without what it refers to */
  async bytes(reference: Json): Promise<Buffer> {
    if (typeof reference['fromEnv'] === 'string') return Buffer.from(this.variable(reference['fromEnv']));
    return this.file(String(reference['fromFile']));
  }

  /** Text without the line end that editors put at the end of a file. */
  async text(reference: Json): Promise<string> {
    return (await this.bytes(reference)).toString('utf8').replace(/\r?\n$/, '');
  }

  private variable(name: string): string {
    if (!name.startsWith('ARMATURE_SECRET_') && !this.allowed.includes(name))
      throw new Fault(
        `the variable ${name} is not read: its name begins with ARMATURE_SECRET_, or stands in --allow-env`,
      );
    const value = this.env[name];
    if (value === undefined || value === '') throw new Fault(`the variable ${name} is not set`);
    this.read.add(`variable ${name}`);
    return value;
  }

  private async file(path: string): Promise<Buffer> {
    if (this.folder === null)
      throw new Fault(`the file ${path} is not read: documents of standard input have no folder`);
    const found = await realpath(resolve(this.folder, path)).catch(() => null);
    if (found === null) throw new Fault(`there is no file ${path}`);
    if (!isWithin(this.folder, found))
      throw new Fault(`the file ${path} is not read: it is outside of the folder of -f`);
    this.read.add(`file ${path}`);
    return readFile(found).catch(() => {
      throw new Fault(`the file ${path} cannot be read`);
    });
  }
}

export const isReference = (value: unknown): value is Json => {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return (
    keys.length === 1 &&
    (keys[0] === 'fromEnv' || keys[0] === 'fromFile') &&
    typeof Object.values(value)[0] === 'string'
  );
};
