import { validate } from 'uuid';
import type { Actor } from '../core/access/actor.js';
import type { JsonObject } from '../core/json/json.js';
import { RPC_CODES, RpcError } from './json-rpc.js';

/** An argument of a tool, as JSON Schema describes it. */
export interface ToolArgument {
  type: 'string';
  format?: 'uuid';
  enum?: readonly string[];
  maxLength?: number;
  description: string;
}

/** What an agent can call; every tool only reads. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  arguments: Record<string, ToolArgument>;
  required?: readonly string[];
  run(actor: Actor, given: ToolArguments): Promise<object>;
}

export type ToolArguments = Readonly<Record<string, string | undefined>>;

/** The longest argument that does not say otherwise. */
const MAX_LENGTH = 500;

/** A tool as `tools/list` shows it. */
export const describeTool = ({ name, title, description, arguments: properties, required = [] }: Tool): object => ({
  name,
  title,
  description,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  annotations: {
    title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
});

/** The arguments of a call. @throws RpcError naming every fault */
export function parseArguments(tool: Tool, given: JsonObject): ToolArguments {
  const faults = Object.keys(given)
    .filter((name) => !Object.hasOwn(tool.arguments, name))
    .map((name) => `${name.slice(0, 100)} is not an argument of ${tool.name}`);
  const taken: Record<string, string> = {};
  for (const [name, argument] of Object.entries(tool.arguments)) {
    const value = given[name];
    if (value === undefined || value === null) {
      if (tool.required?.includes(name)) faults.push(`${name} is required`);
      continue;
    }
    const fault = findFault(argument, value);
    if (fault) faults.push(`${name} ${fault}`);
    else taken[name] = value as string;
  }
  if (faults.length > 0) throw new RpcError(RPC_CODES.invalidParams, faults.slice(0, 20).join('; '));
  return taken;
}

function findFault({ format, enum: words, maxLength = MAX_LENGTH }: ToolArgument, value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (format === 'uuid' && !validate(value)) return 'must be a UUID';
  return words && !words.includes(value) ? `must be one of ${words.join(', ')}` : null;
}
