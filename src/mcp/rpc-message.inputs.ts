import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { InputForms } from '../core/schema/field-examples.js';

/** The schema of an id of JSON-RPC 2.0. */
export const RPC_ID = { oneOf: [{ type: 'string' }, { type: 'integer' }] };

/** A request or notification of JSON-RPC 2.0. */
@InputForms({
  'the tools': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'a call': {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'list_environments', arguments: { search: 'staging' } },
  },
})
export class RpcRequestInput {
  @ApiProperty({ type: String, enum: ['2.0'] })
  jsonrpc!: '2.0';

  @ApiPropertyOptional({ ...RPC_ID, description: 'Missing in notifications.' })
  id?: string | number;

  @ApiProperty({ type: String, description: 'Such as initialize, tools/list or tools/call.' })
  method!: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  params?: Record<string, unknown>;
}
