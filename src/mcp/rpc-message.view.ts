import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { InputForms } from '../core/schema/field-examples.js';

const ID = { oneOf: [{ type: 'string' }, { type: 'integer' }] };

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
export class RpcRequestView {
  @ApiProperty({ type: String, enum: ['2.0'] })
  jsonrpc!: '2.0';

  @ApiPropertyOptional({ ...ID, description: 'Missing in notifications.' })
  id?: string | number;

  @ApiProperty({ type: String, description: 'Such as initialize, tools/list or tools/call.' })
  method!: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  params?: Record<string, unknown>;
}

/** A response of JSON-RPC 2.0: a result or an error. */
export class RpcResponseView {
  @ApiProperty({ type: String, enum: ['2.0'] })
  jsonrpc!: '2.0';

  @ApiProperty({ ...ID, description: 'That of the request.' })
  id!: string | number;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  result?: Record<string, unknown>;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'With code and message.' })
  error?: Record<string, unknown>;
}
