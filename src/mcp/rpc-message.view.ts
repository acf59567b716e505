import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RPC_ID } from './rpc-message.inputs.js';

/** A response of JSON-RPC 2.0: a result or an error. */
export class RpcResponseView {
  @ApiProperty({ type: String, enum: ['2.0'] })
  jsonrpc!: '2.0';

  @ApiProperty({ ...RPC_ID, description: 'That of the request.' })
  id!: string | number;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  result?: Record<string, unknown>;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'With code and message.' })
  error?: Record<string, unknown>;
}
