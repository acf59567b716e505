import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A message of JSON-RPC 2.0. */
export class RpcMessageView {
  @ApiProperty({ type: String, enum: ['2.0'] })
  jsonrpc!: '2.0';

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    nullable: true,
    description: 'Missing in notifications.',
  })
  id?: string | number | null;

  @ApiPropertyOptional({ type: String, description: 'Of a request: such as initialize, tools/list or tools/call.' })
  method?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Of a request.' })
  params?: Record<string, unknown>;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Of a response.' })
  result?: Record<string, unknown>;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Of a response: code and message.' })
  error?: Record<string, unknown>;
}
