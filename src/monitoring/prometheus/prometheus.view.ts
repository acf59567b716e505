import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** An unchanged answer of Prometheus. */
export class PrometheusAnswerView {
  @ApiProperty({ enum: ['success'], description: 'Errors are problem documents.' })
  status!: 'success';

  @ApiProperty({
    description: 'Of a query `{resultType, result}`; the names of labels; the metadata by the name of the metric.',
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'string' } },
    ],
  })
  data!: Record<string, unknown> | string[];

  @ApiPropertyOptional({ type: [String], description: 'Such as that results were truncated due to the limit.' })
  warnings?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Remarks of newer versions of Prometheus.' })
  infos?: string[];
}
