import { validate } from 'uuid';
import type { Actor } from '../core/access/actor.js';
import type { JsonObject } from '../core/json/json.js';
import { RPC_CODES, RpcError } from './json-rpc.js';

/** An argument of a tool, as JSON Schema describes it. */
export interface ToolArgument {
  type: 'string' | 'boolean' | 'integer';
  format?: 'uuid';
  enum?: readonly string[];
  maxLength?: number;
  minimum?: number;
  description: string;
}

/** What an agent can call. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  arguments: Record<string, ToolArgument>;
  required?: readonly string[];
  /** Whether it only reads. */
  isReading: boolean;
  run(actor: Actor, given: ToolArguments): Promise<object>;
}

export type ToolArguments = Readonly<Record<string, string | number | boolean | undefined>>;

/** The longest argument that does not say otherwise. */
const MAX_LENGTH = 500;

/** A tool as `tools/list` shows it. */
export const describeTool = ({
  name,
  title,
  description,
  arguments: properties,
  required = [],
  isReading,
}: Tool): object => ({
  name,
  title,
  description,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  annotations: {
    title,
    readOnlyHint: isReading,
    destructiveHint: false,
    idempotentHint: isReading,
    openWorldHint: false,
  },
});

/** The arguments of a call. @throws RpcError naming every fault */
export function parseArguments(tool: Tool, given: JsonObject): ToolArguments {
  const faults = Object.keys(given)
    .filter((name) => !Object.hasOwn(tool.arguments, name))
    .map((name) => `${name.slice(0, 100)} is not an argument of ${tool.name}`);
  const taken: Record<string, string | number | boolean> = {};
  for (const [name, argument] of Object.entries(tool.arguments)) {
    const value = given[name];
    if (value === undefined || value === null) {
      if (tool.required?.includes(name)) faults.push(`${name} is required`);
      continue;
    }
    const fault = findFault(argument, value);
    if (fault) faults.push(`${name} ${fault}`);
    else taken[name] = value as string | number | boolean;
  }
  if (faults.length > 0) throw new RpcError(RPC_CODES.invalidParams, faults.slice(0, 20).join('; '));
  return taken;
}

function findFault(
  { type, format, enum: words, maxLength = MAX_LENGTH, minimum }: ToolArgument,
  value: unknown,
): string | null {
  if (type === 'integer') {
    if (!Number.isSafeInteger(value)) return 'must be a whole number';
    return minimum !== undefined && (value as number) < minimum ? `must be at least ${minimum}` : null;
  }
  if (typeof value !== type) return `must be a ${type}`;
  if (typeof value !== 'string') return null;
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (format === 'uuid' && !validate(value)) return 'must be a UUID';
  return words && !words.includes(value) ? `must be one of ${words.join(', ')}` : null;
}
