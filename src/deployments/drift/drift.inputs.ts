import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';

/** Which of the destinations where a design is deployed are compared. */
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
