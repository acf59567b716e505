import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';

/** Filters the destinations to compare. */
export class DriftQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only in this environment.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  environment_id?: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'Only on this cluster.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  connection_id?: string;
}
